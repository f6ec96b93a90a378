/** Errors quote input in truncated form; the cut may fall within a surrogate pair (contract §1.6, §2). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

/** As many UTF-16 units as a quote has, the last of them half of a character. */
const until = (count: number): string => `${'x'.repeat(count - 1)}😀`;

it('an error about an unknown row quotes a long key without half a character', async () => {
  const reply = await server.send({ path: '/api/dispatch', body: { key: until(80), body: '' } });
  expect(expectProblem(reply, 'unknown_key')['detail']).toBe(`There is no row ${'x'.repeat(79)}\ufffd.`);
  const path = `/api/directory/${encodeURIComponent(until(80))}`;
  expectProblem(await server.send({ path }), 'unknown_key');
});

it('an error about an invalid argument quotes it without half a character, and is recorded', async () => {
  const body = { key: 'KEY_MINT', body: { scopes: until(80) } };
  const problem = expectProblem(
    await server.send({ path: '/api/dispatch', body, headers: owner }),
    'body_mismatch',
  );
  const [violation] = problem['violations'] as { message: string }[];
  expect(violation?.message).toContain(`"${'x'.repeat(79)}\ufffd" is no scope`);
  const { id } = problem['invocation'] as { id: string };
  const receipt = await server.get({ receipt: id }, owner);
  expect([receipt.status, receipt.body]).toEqual([200, expect.stringContaining('\ufffd')]);
});

it('a long title in front matter is truncated without half a character', async () => {
  const markdown = `---\ntitle: ${until(300)} and more\n---\n\n# Titled\n\nOne.\n`;
  const made = await server.call('VOXEL_BATCH', { document: { slug: 'titled', markdown } }, {}, owner);
  expect(made.status).toBe(200);
  const { json } = await server.send({ path: '/api/articles/titled' });
  expect(json['title']).toBe(`${'x'.repeat(299)}\ufffd`);
});

it('a thread_moved error truncates posts without half a character', async () => {
  const { json } = await server.send({ path: '/api/articles/titled/voxels' });
  const div = (json['divs'] as { div_id: string; text: string; vx_hash: string }[]).find(
    ({ text }) => text === 'One.',
  );
  const post = {
    slug: 'titled',
    target_div: div?.div_id,
    expected_hash: div?.vx_hash,
    stance: 'challenge',
    body: `${until(280)} and more`,
    actor: 'ada',
    expected_thread_head: 'genesis',
  };
  expect((await server.call('VOXEL_CHALLENGE', post)).status).toBe(200);
  const late = { ...post, body: 'Another one, which is about the same words.' };
  const problem = expectProblem(await server.call('VOXEL_CHALLENGE', late), 'thread_moved');
  const { newest } = problem['thread_summary'] as { newest: { body: string }[] };
  expect(newest[0]?.body).toBe(`${'x'.repeat(279)}\ufffd`);
});

it('a long question is truncated without half a character', async () => {
  const asked = await server.get({ ask: until(500) });
  expect([asked.status, asked.json['question']]).toEqual([200, `${'x'.repeat(499)}\ufffd`]);
});
