import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { headOf, seal, type Draft, type Head } from '../../../src/ledger/entry.ts';
import { verifyBundle, verifyChainList, type Json } from '../../../verify/index.ts';
import { vectorJson } from '../ledger/support.ts';
import { failuresOf, sound } from './support.ts';

type Item = Record<string, Json>;

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** A chain of `length` entries, each as `shape` lists it. */
function chain(
  id: string,
  length: number,
  shape: 'listed' | 'own',
  members: (n: number) => Record<string, string> = () => ({}),
): Item[] {
  const items: Item[] = [];
  let head: Head | null = null;
  for (let n = 0; n < length; n++) {
    const draft: Draft = {
      chain: id,
      ts: `2026-01-31T09:00:0${n}.000Z`,
      actor: 'owner',
      op: 'note',
      ...members(n),
    };
    const sealed = seal(draft, head);
    head = headOf(sealed);
    items.push(
      (shape === 'own'
        ? { ...sealed.entry, hash: sealed.hash }
        : {
            id: `s${n}`,
            title: `Source ${n}`,
            prev: sealed.entry.prev,
            hash: sealed.hash,
            entry: sealed.entry,
          }) as Item,
    );
  }
  return items;
}

function changed(items: readonly Item[], at: number, change: (item: Item) => void): Item[] {
  const copy = structuredClone(items) as Item[];
  change(copy[at] as Item);
  return copy;
}

const sources = chain('src_k', 4, 'listed');

describe('verifyChainList', () => {
  test.each<[string, Json]>([
    ['a bare array', sources],
    ['an object with the list as a member', { count: 4, sources, next: null }],
    ['a list in reverse order', { entries: sources.toReversed() }],
    ['text', JSON.stringify({ sources })],
    ['entries that carry their own hash', { entries: chain('div_d3', 3, 'own') }],
    [
      'several chains',
      { divs: [{ chain: chain('div_d1', 2, 'own') }, { chain: chain('div_d2', 1, 'own') }] },
    ],
  ])('accepts %s', async (_title, list) => {
    expect(sound(await verifyChainList(list))).toBe(true);
  });

  test('is fast with thousands of entries that claim the same number', { timeout: 20_000 }, async () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => ({
      chain: 'a',
      n: 0,
      prev: 'genesis',
      ts: '2026-01-31T09:00:00.000Z',
      actor: 'owner',
      i,
      hash: '00',
    }));
    expect(failuresOf(await verifyChainList({ entries }))).toEqual([
      'chain: entry 0 of chain a: hash does not match the entry, which hashes to ' +
        createHash('sha256')
          .update(
            '\0{"actor":"owner","chain":"a","i":0,"n":0,"prev":"genesis","ts":"2026-01-31T09:00:00.000Z"}',
          )
          .digest('hex'),
    ]);
  });

  test('reports the length and the head of each chain', async () => {
    expect((await verifyChainList({ sources })).checks).toEqual([
      {
        id: 'chain',
        ok: true,
        detail: `chain src_k: 4 entries from genesis, head ${String(sources[3]?.['hash'])}`,
        at: 'sources[0]',
      },
    ]);
  });

  test.each<[string, Json, string, string]>([
    [
      'an altered entry',
      changed(sources, 2, (item) => ((item['entry'] as Item)['actor'] = 'system')),
      'hash does not match the entry, which hashes to',
      '[2]',
    ],
    [
      'a first entry with a predecessor',
      changed(sources, 0, (item) => ((item['entry'] as Item)['prev'] = 'ab'.repeat(32))),
      'prev of the first entry is not genesis',
      '[0]',
    ],
    [
      'a wrong predecessor',
      changed(sources, 2, (item) => ((item['entry'] as Item)['prev'] = 'ab'.repeat(32))),
      'prev does not match the hash before it',
      '[2]',
    ],
    [
      'an earlier time',
      changed(sources, 1, (item) => ((item['entry'] as Item)['ts'] = '2020-01-01T00:00:00.000Z')),
      'ts is before the entry before it',
      '[1]',
    ],
    [
      'no actor',
      changed(sources, 1, (item) => Reflect.deleteProperty(item['entry'] as Item, 'actor')),
      'actor is missing',
      '[1]',
    ],
    [
      "a shown prev that is not the entry's",
      changed(sources, 3, (item) => (item['prev'] = 'genesis')),
      'the prev shown is not the one in the entry',
      '[3]',
    ],
    [
      "a shown hash that is not the entry's",
      changed(sources, 3, (item) => (item['hash'] = 'ab'.repeat(32))),
      'hash does not match the entry, which hashes to',
      '[3]',
    ],
    ['a missing entry', sources.toSpliced(1, 1), 'it is missing', '[1]'],
    [
      'an entry twice with different bytes',
      [...sources, ...changed(sources, 3, (item) => ((item['entry'] as Item)['op'] = 'x')).slice(3)],
      'there are two different ones',
      '[4]',
    ],
  ])('names the entry and the reason in a list with %s', async (_title, list, reason, at) => {
    const report = await verifyChainList(list);
    const failed = report.checks.filter(({ ok }) => !ok);
    expect(failed).toHaveLength(1);
    expect(failed[0]?.detail).toContain(reason);
    expect(failed[0]?.detail).toMatch(/^entry \d of chain src_k: /);
    expect(failed[0]?.at).toBe(at);
  });

  test('accepts a page of a list only with the option `partial`', async () => {
    expect(failuresOf(await verifyChainList(sources.slice(2)))).toEqual([
      'chain: entry 0 of chain src_k: it is missing',
    ]);
    expect(sound(await verifyChainList(sources.slice(2), { partial: true }))).toBe(true);
    expect(sound(await verifyChainList([sources[1], sources[3]] as Json, { partial: true }))).toBe(false);
  });

  test('compares a list of one chain with the verification result of the server', async () => {
    const head = String(sources[3]?.['hash']);
    const claimed = (verification: Json) => verifyChainList({ sources, verification }).then(failuresOf);
    expect(await claimed({ valid: true, entries: 4, head })).toEqual([]);
    expect(await claimed({ valid: true, entries: 5, head: 'ab'.repeat(32) })).toEqual([
      `verification: the list ends at ${head}, the server says at ${'ab'.repeat(32)}`,
    ]);
    expect(await claimed({ valid: false, broken_at: 1, reason: 'hash does not match the entry' })).toEqual([
      'verification: the server says that the chain is broken: hash does not match the entry',
    ]);
    const page = { sources: sources.slice(0, 2), verification: { valid: true, entries: 4, head } };
    expect(sound(await verifyChainList(page, { partial: true }))).toBe(true);
    expect(sound(await verifyBundle(page))).toBe(false);
    // Over several chains there is no one head to compare.
    const several = {
      divs: [chain('div_d1', 2, 'own'), chain('div_d2', 1, 'own')],
      verification: { valid: true, entries: 3, head },
    };
    expect(sound(await verifyChainList(several))).toBe(true);
    expect(
      sound(
        await verifyBundle({ contributions: [], verification: { valid: true, entries: 0, head: 'genesis' } }),
      ),
    ).toBe(true);
  });

  test('accepts an empty list and rejects a document without entries', async () => {
    expect(sound(await verifyChainList({ entries: [], next: null }))).toBe(true);
    expect(sound(await verifyChainList([]))).toBe(true);
    expect(failuresOf(await verifyChainList({ title: 'x' }))).toEqual(['chain: no entry is listed']);
    expect(failuresOf(await verifyChainList([{ id: 's1', hash: 'x', prev: 'genesis' }]))).toEqual([
      'chain: no entry is listed',
    ]);
    expect(failuresOf(await verifyChainList('[1,'))).toEqual([
      'document: the document is not JSON: a value is missing (at character 3)',
    ]);
  });
});

describe('verifyBundle', () => {
  const div = (id: string, order: number | null, text: string, sep: string): Item => ({
    div_id: id,
    order,
    text,
    sep,
    status: order === null ? 'burned' : 'current',
    vx_hash: sha(text),
    chain: chain(`art_k.${id}`, 3, 'own', (n) => ({
      op: n === 0 ? 'divide' : n === 1 ? 'edit' : order === null ? 'burn' : 'move',
      text_sha: sha(n === 0 ? 'older' : text),
    })),
  });
  const body = '\ufeff# Title\n\nText é\r\n';
  const receipt = vectorJson<{ verifier_key: string; receipt: Item }>('ledger/receipt.json');
  const parts = (): Item => ({
    body,
    content_hash: sha(body),
    claims: [{ id: 'c1', text: 'Water boils.', tier: 'human', hash: sha('Water boils.'), weight: 0.8 }],
    sources: structuredClone(sources),
    voxels: {
      lead: '\ufeff',
      divs: [div('d1', 1, '# Title', '\n\n'), div('d3', 2, 'Text é', '\r\n'), div('d2', null, 'gone', '\n')],
    },
    history: chain('prov_k', 3, 'listed'),
  });

  test('accepts valid parts of an article without a key and checks every part', async () => {
    const report = await verifyBundle(parts());
    expect(failuresOf(report)).toEqual([]);
    const counts = new Map<string, number>();
    for (const { id } of report.checks) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({ chain: 5, div: 3, body: 2, claim: 1 });
  });

  test('accepts parts with the number of DIVs instead of the DIVs', async () => {
    expect(sound(await verifyBundle({ ...parts(), voxels: { count: 3 } }))).toBe(true);
  });

  test.each<[string, (b: Item) => void, string]>([
    [
      'a changed DIV text',
      (b) => (divOf(b, 1)['text'] = 'Text e'),
      `div: the text hashes to ${sha('Text e')}, not to ${sha('Text é')}`,
    ],
    [
      'a DIV whose text is not at the head of its chain',
      (b) => {
        divOf(b, 0)['text'] = 'older';
        divOf(b, 0)['vx_hash'] = sha('older');
      },
      `div: the DIV's chain ends at text ${sha('# Title')}, not at ${sha('older')}`,
    ],
    [
      'a body that differs from its DIVs',
      (b) => (divOf(b, 0)['sep'] = '\n'),
      'body: the DIVs do not join to the body',
    ],
    [
      'a body that does not match its hash',
      (b) => (b['content_hash'] = sha('x')),
      `body: the text hashes to ${sha(body)}, not to ${sha('x')}`,
    ],
    [
      'a changed claim',
      (b) => (((b['claims'] as Item[])[0] as Item)['text'] = 'Water freezes.'),
      `claim: the text hashes to ${sha('Water freezes.')}, not to ${sha('Water boils.')}`,
    ],
    [
      'a broken DIV chain',
      (b) => (((divOf(b, 2)['chain'] as Item[])[1] as Item)['op'] = 'divide'),
      'chain: entry 1 of chain art_k.d2: hash does not match the entry',
    ],
    [
      'a removed source',
      (b) => (b['sources'] as Item[]).splice(2, 1),
      'chain: entry 2 of chain src_k: it is missing',
    ],
  ])('rejects %s', async (_title, change, why) => {
    const bent = parts();
    change(bent);
    const found = failuresOf(await verifyBundle(bent));
    expect(found.some((failure) => failure.startsWith(why))).toBe(true);
  });

  function divOf(of: Item, i: number): Item {
    return ((of['voxels'] as Item)['divs'] as Item[])[i] as Item;
  }

  test('verifies proofs in the document against the key and rejects them without a key', async () => {
    const withProof = { ...parts(), receipts: [receipt.receipt] } as Item;
    expect(failuresOf(await verifyBundle(withProof, receipt.verifier_key))).toEqual([]);
    expect(failuresOf(await verifyBundle(withProof))).toEqual([
      "signature: the log's verifier key was not given",
    ]);
    const other = receipt.verifier_key.replace('ledger.example', 'ledger.test');
    expect(failuresOf(await verifyBundle(withProof, other))).toEqual([
      "key: the verifier key's hash does not fit its name and key",
    ]);
  });

  test('refuses a document without any evidence', async () => {
    expect(failuresOf(await verifyBundle({ title: 'x', body: 'y' }))).toEqual([
      'document: there is nothing here that can be verified',
    ]);
  });
});

test.each([
  ['claims listed without entries', { claims: [{ tier: 'anecdotal', text: 'a', hash: sha('a') }] }, []],
  ['no claims', { claims: [] }, []],
  [
    'an empty source list for a chain with sources',
    { sources: [] },
    [expect.stringContaining('the list ends at genesis')],
  ],
])('verifyBundle compares %s with the given head of a chain', async (_what, list, failures) => {
  const document = { ...list, verification: { valid: true, head: 'ab'.repeat(32), entries: 3 } };
  expect(failuresOf(await verifyBundle(document))).toEqual(failures);
});
