/** The list of needs, and that each proposed payload works once its placeholders are filled in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# Tides\n\nThe sea rises twice a day.\n', { slug: 'tides' });
});

afterAll(async () => {
  await server.stop();
});

async function needs(): Promise<readonly Answer[]> {
  const grow = await server.read('/api/protocol/grow');
  expect(grow['count']).toBe(grow['needs'].length);
  return grow['needs'] as readonly Answer[];
}

const kinds = async (): Promise<string[]> =>
  (await needs()).map((need) => `${need['kind']} ${need['about']}`);

/** Sends a payload as it was given, with its gaps filled. */
async function send(need: Answer, filled: object): Promise<Answer> {
  const path = new URL(String(need['post_to'])).pathname;
  const payload = { ...(need['payload'] as object), ...filled };
  expect(JSON.stringify(payload)).not.toContain('…');
  return need['auth'] === 'none' ? server.anybody(path, payload) : server.owner(path, payload);
}

describe('the list of needs', () => {
  it('asks for a claim in an article without claims', async () => {
    const [need] = await needs();
    expect(need).toMatchObject({ kind: 'state_claim', article: 'tides', auth: 'share' });
    await send(need as Answer, {
      text: 'The moon causes most of the tide.',
      who_claims: 'Newton',
      why_material: 'Everything else on the page follows from it.',
    });
    expect(await kinds()).toEqual(['cite_source c1']);
  });

  it('asks for a source of an unsourced claim, which anybody may propose', async () => {
    const [need] = await needs();
    await send(need as Answer, {
      actor: 'ada',
      body: '{"type":"review","url":"https://example.org/tides","title":"Tides","quote":"The moon causes most of the tide.","summary":"On tides."}',
    });
    expect(await server.read('/api/articles/tides/mirror')).toMatchObject({ count: 1 });
    // Only the owner's acceptance ends the need.
    expect(await kinds()).toEqual(['cite_source c1']);
  });

  it('asks for an answer to an open objection, and for evidence on an unanswered question', async () => {
    await server.anybody('/api/articles/tides/objections', {
      actor: 'bo',
      objection: 'The sun is left out.',
      surface: 'S1',
      minimum_patch: 'Name the sun.',
    });
    await server.owner('/api/protocol/ask', { slug: 'tides', question: 'Which gnomon casts a shadow?' });
    const found = await needs();
    expect(found.map(({ kind }) => kind)).toEqual(['answer_objection', 'bring_evidence', 'cite_source']);
    const brought = await send(found[1] as Answer, { evidence: 'A gnomon casts a shadow.' });
    expect(brought['ok']).toBe(true);
    expect((await needs()).map(({ kind }) => kind)).toEqual(['answer_objection', 'cite_source']);
  });

  it('has at most limit entries, and names no draft', async () => {
    await server.article('# Hidden\n\nNot yet.\n', { slug: 'hidden', status: 'draft' });
    expect(JSON.stringify(await needs())).not.toContain('hidden');
    expect(await server.read('/api/protocol/grow?limit=1')).toMatchObject({ count: 1 });
    const refused = await server.fetch('/api/protocol/grow?limit=0');
    expect([refused.status, ((await refused.json()) as Answer)['parameter']]).toEqual([400, 'limit']);
  });
});
