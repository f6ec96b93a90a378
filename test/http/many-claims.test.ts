/**
 * An article with so many claims that a write stores its changes in a layer above them: results, duplicate checks
 * and rollback are the same as in a small article (contract §5 "Near-duplicates").
 */
import { expect, test } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer } from '../support/server.ts';

const slug = 'many';
const syllables = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'ju', 'ke', 'li', 'mo'];
const name = (n: number): string =>
  [...String(n).padStart(4, '0')].map((digit) => syllables[Number(digit)]).join('');
const textOf = (n: number): string =>
  `Station ${name(n)} of ${name(n * 7 + 1)} opened near ${name(n * 3 + 2)}.`;
const claim = (text: string): Answer => ({
  text,
  tier: 'system',
  who_claims: 'A test',
  why_material: 'It is one of many.',
});

onBothStores('an article with hundreds of claims', (server) => {
  const sendTo = async (path: string, body: Answer): Promise<[number, Answer]> => {
    const answer = await server().fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify(body),
    });
    return [answer.status, (await answer.json()) as Answer];
  };
  const send = (path: string, body: Answer): Promise<[number, Answer]> =>
    sendTo(`/api/protocol/${path}`, { slug, ...body });
  const dispatch = (key: string, body: Answer): Promise<[number, Answer]> =>
    sendTo('/api/dispatch', { key, body: { slug, ...body } });
  const claims = async (): Promise<Answer[]> =>
    (await server().read(`/api/articles/${slug}/claims`))['claims'] as Answer[];

  test('lists claims in order, whether they arrive in a batch, one by one or concurrently', async () => {
    await server().article('# Many\n\nText.\n', { slug });
    await server().owner('/api/protocol/voxel-batch', {
      slug,
      operations: Array.from({ length: 300 }, (_, n) => ({ op: 'claim', ...claim(textOf(n + 1)) })),
    });
    for (let n = 301; n <= 350; n++) expect((await send('claim', claim(textOf(n))))[0]).toBe(200);
    // These share a batch or several, whichever way they arrive.
    await Promise.all(Array.from({ length: 10 }, (_, n) => send('claim', claim(textOf(351 + n)))));
    const listed = await claims();
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 360 }, (_, n) => `c${n + 1}`));
    expect(new Set(listed.map(({ text }) => text as string))).toEqual(
      new Set(Array.from({ length: 360 }, (_, n) => textOf(n + 1))),
    );
  });

  test('rejects duplicates of its first, middle and last claims, and names the existing claim', async () => {
    const listed = await claims();
    for (const at of [0, 299, 300, 359]) {
      const [status, { error, canonical }] = await send('claim', claim(listed[at]?.['text'] as string));
      expect([status, error, canonical.id]).toEqual([409, 'duplicate_claim', `c${at + 1}`]);
    }
  });

  test('drops the claims of a rolled-back atomic batch', async () => {
    const [fresh, again] = [claim('A lighthouse was lit at the northern cape.'), claim(textOf(12))];
    const [status] = await send('voxel-batch', {
      atomic: true,
      operations: [
        { op: 'claim', ...fresh },
        { op: 'claim', ...again },
      ],
    });
    expect(status).not.toBe(200);
    expect(await claims()).toHaveLength(360);
    const [landed, { claim_id }] = await send('claim', fresh);
    expect([landed, claim_id]).toEqual([200, 'c361']);
    expect((await send('claim', fresh))[1]['canonical'].id).toBe('c361');
  });

  test('keeps repaired and retracted claims at their positions', async () => {
    const [, second] = await claims();
    const [repaired] = await dispatch('CLAIM_REPAIR', {
      claim_id: 'c2',
      text: 'The harbour of the second town froze over every winter.',
      rationale: 'The station was another.',
      expected_hash: second?.['hash'],
    });
    const [retracted] = await dispatch('CLAIM_RETRACT', { claim_id: 'c3', reason: 'No such station.' });
    expect([repaired, retracted]).toEqual([200, 200]);
    const listed = await claims();
    expect(listed.slice(0, 4).map(({ id, version, status }) => [id, version, status])).toEqual([
      ['c1', 1, 'active'],
      ['c2', 2, 'active'],
      ['c3', 1, 'retracted'],
      ['c4', 1, 'active'],
    ]);
    // Nobody says these any more.
    for (const [n, id] of [
      [2, 'c362'],
      [3, 'c363'],
    ] as const)
      expect((await send('claim', claim(textOf(n))))[1]['claim_id']).toBe(id);
    const [status, { error, canonical }] = await dispatch('CLAIM_REPAIR', {
      claim_id: 'c4',
      text: textOf(2).toUpperCase(),
      rationale: 'It says what another says.',
      expected_hash: listed[3]?.['hash'],
    });
    expect([status, error, canonical.id]).toEqual([409, 'duplicate_claim', 'c362']);
  });

  test('rebuilds identically from the ledger', async () => {
    await expectRebuilds(server());
  });
});
