/**
 * Long runs of line breaks are read in time linear in them (ReDoS): in time quadratic in them each of these requests
 * takes longer than the test may.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formType, signIn } from '../support/desk.ts';
import { openLocal, owner, terminalKey, type LocalServer } from './local.ts';

const timeout = 15_000;
const breaks = '\n'.repeat(300_000);
let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  const markdown = `# Gap\n\n\`\`\`\n${breaks}x\n\`\`\`\n`;
  await server.deployment.did('VOXEL_BATCH', { document: { slug: 'gap', title: 'Gap', markdown } });
  await server.deployment.did('CLAIM_POST', {
    slug: 'gap',
    text: 'Every entry is hashed with its salt.',
    tier: 'system',
    who_claims: 'ada',
    why_material: 'A test.',
  });
}, timeout);
afterAll(() => server.end());

it('an article as Markdown with its claims', { timeout }, async () => {
  const { status, body } = await server.send({ path: '/api/articles/gap?format=markdown', headers: owner });
  expect(status).toBe(200);
  expect(body).toContain('## Claims of this article');
});

it('a merged text that is sent back by the editor', { timeout }, async () => {
  const { cookie, formToken } = await signIn(server.base, terminalKey);
  const parts = JSON.stringify([`${breaks}x\n`, 'Two.\n']);
  const fields = { form_token: formToken, title: 'Gap', text: 'Two.\n', parts, note: 'n', act: 'preview' };
  const { status, body } = await server.send({
    path: '/owner/a/gap/edit',
    headers: { ...formType, origin: server.base, cookie },
    body: new URLSearchParams(fields).toString(),
  });
  expect(status).toBe(200);
  expect(body).toContain('Two.');
});
