/** A refusal quotes what a caller sent and cuts it short; the cut may fall within a character (contract §1.6, §2). */
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

it('tells anybody that there is no such row', async () => {
  const reply = await server.send({ path: '/api/dispatch', body: { key: until(80), body: '' } });
  expect(expectProblem(reply, 'unknown_key')['detail']).toBe(`There is no row ${'x'.repeat(79)}\ufffd.`);
  const path = `/api/directory/${encodeURIComponent(until(80))}`;
  expectProblem(await server.send({ path }), 'unknown_key');
});

it('tells a caller what is wrong, and records it', async () => {
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

it('takes a title out of a front matter, however long that is', async () => {
  const markdown = `---\ntitle: ${until(300)} and more\n---\n\n# Titled\n\nOne.\n`;
  const made = await server.call('VOXEL_BATCH', { document: { slug: 'titled', markdown } }, {}, owner);
  expect(made.status).toBe(200);
  const { json } = await server.send({ path: '/api/articles/titled' });
  expect(json['title']).toBe(`${'x'.repeat(299)}\ufffd`);
});

it('shows whoever read a thread too early how its posts begin', async () => {
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

it('says of a long question how it begins', async () => {
  const asked = await server.get({ ask: until(500) });
  expect([asked.status, asked.json['question']]).toEqual([200, `${'x'.repeat(499)}\ufffd`]);
});
