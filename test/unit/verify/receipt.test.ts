import { describe, expect, test } from 'vitest';
import { headOf, seal, type Head, type Sealed } from '../../../src/ledger/entry.ts';
import { verifyReceipt, type Json } from '../../../verify/index.ts';
import { vectorJson, vectorText } from '../ledger/support.ts';
import { failuresOf, sound } from './support.ts';

interface Served {
  id: string;
  key: string;
  status: string;
  request: Record<string, Json>;
  response: Record<string, Json>;
  material?: Record<string, Json>;
  authority?: Record<string, Json>;
  gates?: Json;
  yield?: Record<string, Json>;
  latest?: Json;
  entries: Record<string, Json>[];
  proof: Record<string, Json>;
}

const golden = vectorJson<{ verifier_key: string; receipt: Served }>('ledger/receipt.json');
const key = golden.verifier_key;

/** The golden receipt with one change. */
function receipt(change: (receipt: Served) => void = () => undefined): Json {
  const copy = structuredClone(golden.receipt);
  change(copy);
  return copy as unknown as Json;
}

async function failures(
  change: (receipt: Served) => void,
  verifierKey: string | undefined = key,
): Promise<string[]> {
  return failuresOf(await verifyReceipt(receipt(change), verifierKey));
}

const chain = 'chain inv_aaaaaaaaaaaaaaaa';

describe('verifyReceipt', () => {
  test('accepts the golden receipt, parsed or as text, and reports each check', async () => {
    const report = await verifyReceipt(receipt(), key);
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ id }) => id)).toEqual([
      'chain',
      'id',
      'request',
      'response',
      'entry',
      'signature',
      'inclusion',
    ]);
    expect(report.checks.map(({ detail }) => detail)).toContain('the request is what entry 0 commits to');
    const text = JSON.stringify(
      (JSON.parse(vectorText('ledger/receipt.json')) as { receipt: Json }).receipt,
      null,
      2,
    );
    expect(sound(await verifyReceipt(text, key))).toBe(true);
  });

  test('accepts scrubbed content, and reports it as scrubbed', async () => {
    const report = await verifyReceipt(
      receipt((r) => {
        r.request = { body: null, content_sha: r.request['content_sha'] as string, salt: null };
        r.response = { result: null, content_sha: r.response['content_sha'] as string, salt: null };
      }),
      key,
    );
    expect(sound(report)).toBe(true);
    expect(report.checks.find(({ id }) => id === 'request')?.detail).toBe(
      'scrubbed: the commitment to the request stands in entry 0, the content is gone',
    );
  });

  test('lists contents marked as scrubbed as uncovered, because no entry of the receipt commits to it', async () => {
    const report = await verifyReceipt(
      receipt((r) => {
        r.request = { ...r.request, body: null, salt: null, state: 'scrubbed' };
      }),
      key,
    );
    expect(sound(report)).toBe(true);
    expect(report.uncovered?.filter((place) => place.startsWith('request'))).toEqual([
      'request.body',
      'request.salt',
      'request.state',
    ]);
  });

  test('rejects an entry nested in another object', async () => {
    const { hash, ...entry } = golden.receipt.entries[0] as Record<string, Json>;
    expect(
      await failures((r) => (r.entries[0] = { ...entry, actor: 'somebody', entry, hash } as never)),
    ).toContain('chain: 1 of 3 entries are not entries');
  });

  test('accepts a receipt without material and its commitment', async () => {
    expect(await failures((r) => (r.material = { items: null, content_sha: null, salt: null }))).toEqual([]);
  });

  test('rejects a later entry without a valid proof of its own', async () => {
    const { key: row, proof } = golden.receipt;
    const head = golden.receipt.entries[2] as Record<string, Json>;
    const added = seal(
      { chain: golden.receipt.id, ts: String(head['ts']), actor: 'owner', action: 'success', key: row },
      { n: 2, hash: String(head['hash']), ts: String(head['ts']) },
    );
    const entry = { ...added.entry, hash: added.hash };
    const forged = (latest?: Json) =>
      failures((r) => {
        r.entries.push(entry);
        if (latest !== undefined) r.latest = latest;
      });
    expect(await forged()).toEqual([
      'proof: entry 2 is proven; nothing shows that those behind it are in the log',
    ]);
    expect(await forged(proof)).toEqual([
      'proof: the latest entry that is proven is not the newest of those listed',
    ]);
    expect(await forged({ ...proof, entry: added.entry as unknown as Json, entry_hash: added.hash })).toEqual(
      ['inclusion: the proof does not lead from this entry at 258 to the signed root'],
    );
  });

  test('reads the status from the action of the entries in chain order if they have no status member', async () => {
    let head: Head | null = null;
    const entries = ['running', 'success', 'scrub'].map((action) => {
      const sealed: Sealed = seal(
        { chain: 'inv_v', ts: '2026-01-31T09:00:00.000Z', actor: 'owner', action, key: 'K' },
        head,
      );
      head = headOf(sealed);
      return { ...sealed.entry, hash: sealed.hash };
    });
    const served = {
      id: 'inv_v',
      key: 'K',
      entries: entries.toReversed(),
      proof: { entry_hash: entries[2]?.['hash'] ?? '' },
    };
    const pending = 'inclusion: the log has not integrated the entry yet; fetch the receipt again';
    expect(failuresOf(await verifyReceipt({ ...served, status: 'success' }, key))).toEqual([pending]);
    expect(failuresOf(await verifyReceipt({ ...served, status: 'running' }, key))).toEqual([
      'status: the receipt says status running, the entries say success',
      pending,
    ]);
  });

  test('accepts a confirmation with entries and proof only', async () => {
    const { id, key: row, status, entries, proof } = golden.receipt;
    expect(sound(await verifyReceipt({ id, key: row, status, entries, proof }, key))).toBe(true);
    const { entry: _entry, ...hashOnly } = proof;
    expect(sound(await verifyReceipt({ id, entries, proof: hashOnly }, key))).toBe(true);
  });

  test('rejects a genuine proof under the id of another call if no entries are listed', async () => {
    const { entries: _entries, ...rest } = golden.receipt;
    const forged = { ...rest, id: 'inv_bbbbbbbbbbbbbbbb', key: 'VOXEL_BURN' } as unknown as Json;
    expect(failuresOf(await verifyReceipt(forged, key))[0]).toBe('chain: no entry is listed');
  });

  test.each<[string, Json, string]>([
    ['actor', 'owner', 'the receipt says actor owner, the entries say cap_0123456789abcdef'],
    ['ran', false, 'the receipt says ran false, the entries say true'],
    ['error', 'not_found', 'the receipt says error not_found, the entries say null'],
    ['tenant', 'other', 'the receipt says tenant other, the entries say null'],
    ['contract_hash', 'ab', 'the receipt says contract_hash ab, the entries say null'],
    [
      'started_at',
      '2025-01-31T09:00:00.000Z',
      'the receipt says started_at 2025-01-31T09:00:00.000Z, the entries say 2026-01-31T09:00:00.000Z',
    ],
    ['finished_at', null, 'the receipt says finished_at null, the entries say 2026-01-31T09:00:01.250Z'],
    [
      'repaired_by',
      'inv_cccccccccccccccc',
      'the receipt says repaired_by inv_cccccccccccccccc, the entries say inv_bbbbbbbbbbbbbbbb',
    ],
    ['replay_of', 'inv_c', 'the receipt says replay_of inv_c, the entries say null'],
    ['idempotency_key', 'k', 'the receipt says idempotency_key k, the entries say null'],
  ])('rejects a value of %s that differs from the entries', async (name, value, why) => {
    expect(await failures((r) => ((r as unknown as Record<string, Json>)[name] = value))).toEqual([
      `${name}: ${why}`,
    ]);
  });

  test('rejects an authority, a gate, a cost and material that differ from the entries', async () => {
    expect(await failures((r) => (r.authority = { kind: 'owner', fingerprint: null }))).toEqual([
      'authority.kind: the receipt says authority.kind owner, the entries say share',
      'authority.fingerprint: the receipt says authority.fingerprint null, the entries say cap_0123456789abcdef',
    ]);
    expect(await failures((r) => (r.gates = [{ gate: 'scope', ok: false }]))).toEqual([
      'gates refused: the receipt says gates refused scope, the entries say null',
    ]);
    expect(
      await failures(
        (r) =>
          (r.yield = {
            tokens: { in: 0, out: 0, total: 0 },
            cost: { usd: 1 },
            waste: 0,
            material: [{ kind: 'claim', id: 'c1' }],
          }),
      ),
    ).toEqual([
      'yield.cost: the receipt says yield.cost {"usd":1}, the entries say {"usd":0}',
      'yield.material: the receipt says yield.material [{"id":"c1","kind":"claim"}], the entries say []',
    ]);
  });

  test('rejects a malformed request and a missing response', async () => {
    expect(await failures((r) => (r.request = 'zoology' as unknown as Record<string, Json>))).toEqual([
      'request: the request is not shown with its commitment',
    ]);
    expect(await failures((r) => (r.response = { result: null, content_sha: null, salt: null }))).toEqual([
      'response: entry 1 commits to a response, which is left out',
    ]);
  });

  test.each<[string, (r: Served) => void, string[]]>([
    [
      'an altered entry',
      (r) => ((r.entries[1] as Record<string, Json>)['duration_ms'] = 1),
      [
        `chain: entry 1 of ${chain}: hash does not match the entry, which hashes to 69f2d8c163e5f832d961eb0c62d09f162a931b8f146ad1641671ae8f41ee8479`,
      ],
    ],
    [
      'a missing entry',
      (r) => r.entries.splice(1, 1),
      [
        `chain: entry 1 of ${chain}: it is missing`,
        'status: the receipt says status success, the entries say running',
        'response: no entry holds the commitment 111a1785aeccba87942958b0f064513ec1b823cb7d5eb2206972390a2dc07d0f to the response',
      ],
    ],
    [
      'a missing first entry',
      (r) => r.entries.shift(),
      [
        `chain: entry 0 of ${chain}: it is missing`,
        `request: no entry holds the commitment d2777a9801847eee265eeb32a7957bf607e7194f6b86fadd3fa28a5093563a99 to the request`,
      ],
    ],
    [
      'two different entries with the same number',
      (r) => r.entries.push({ ...(r.entries[2] as Record<string, Json>), by: 'x' }),
      [`chain: entry 3 of ${chain}: there are two different ones`],
    ],
    [
      'an entry of another chain',
      (r) => ((r.entries[2] as Record<string, Json>)['chain'] = 'inv_b'),
      ['chain: entry 0 of chain inv_b: it is missing', 'chain: the entries are of 2 chains, not one'],
    ],
    [
      'an object that is not an entry',
      (r) => r.entries.push({ hash: 'x' }),
      ['chain: 1 of 4 entries are not entries'],
    ],
    [
      'no entries',
      (r) => (r.entries = []),
      [
        'chain: no entry is listed',
        'request: no entry holds the commitment d2777a9801847eee265eeb32a7957bf607e7194f6b86fadd3fa28a5093563a99 to the request',
        'response: no entry holds the commitment 111a1785aeccba87942958b0f064513ec1b823cb7d5eb2206972390a2dc07d0f to the response',
        'entry: the proven entry is none of those listed',
      ],
    ],
    [
      'the id of another invocation',
      (r) => (r.id = 'inv_bbbbbbbbbbbbbbbb'),
      ['id: the entries are of chain inv_aaaaaaaaaaaaaaaa, not of inv_bbbbbbbbbbbbbbbb'],
    ],
    [
      'another key',
      (r) => (r.key = 'VOXEL_BURN'),
      ['key: the receipt says key VOXEL_BURN, the entries say OBJECTION_LOG'],
    ],
    [
      'another status',
      (r) => (r.status = 'denied'),
      ['status: the receipt says status denied, the entries say success'],
    ],
    [
      'another request',
      (r) => (r.request['body'] = 'zoology'),
      ['request: the request is not what entry 0 commits to'],
    ],
    [
      'another response',
      (r) => (r.response['result'] = null),
      ['response: the response is not what entry 1 commits to'],
    ],
    [
      'another salt',
      (r) => (r.request['salt'] = '00'.repeat(32)),
      ['request: the request is not what entry 0 commits to'],
    ],
    [
      'a truncated salt',
      (r) => (r.request['salt'] = '01'.repeat(16)),
      ['request: the salt of the request is not 32 bytes of hex'],
    ],
    [
      'content without its salt',
      (r) => (r.request['salt'] = null),
      ['request: the request is shown without its salt'],
    ],
    [
      'content without a commitment',
      (r) => (r.request['content_sha'] = null),
      ['request: the request is shown without a commitment'],
    ],
    [
      'a commitment that is not a hash',
      (r) => (r.request['content_sha'] = 'x'),
      ['request: the commitment to the request is not a hash'],
    ],
    [
      'request and response exchanged',
      (r) => {
        [r.request, r.response] = [
          {
            body: r.response['result'] as Json,
            content_sha: r.response['content_sha'] as Json,
            salt: r.response['salt'] as Json,
          },
          {
            result: r.request['body'] as Json,
            content_sha: r.request['content_sha'] as Json,
            salt: r.request['salt'] as Json,
          },
        ];
      },
      [
        'request: no entry holds the commitment 111a1785aeccba87942958b0f064513ec1b823cb7d5eb2206972390a2dc07d0f to the request',
        'response: no entry holds the commitment d2777a9801847eee265eeb32a7957bf607e7194f6b86fadd3fa28a5093563a99 to the response',
      ],
    ],
    ['no proof', (r) => Reflect.deleteProperty(r, 'proof'), ['proof: there is no proof']],
    [
      'a pending proof',
      (r) => (r.proof['tlog_proof'] = null),
      ['inclusion: the log has not integrated the entry yet; fetch the receipt again'],
    ],
    [
      'a proof without a hash',
      (r) => (r.proof['entry_hash'] = null),
      ['entry: the proof names no entry hash'],
    ],
    [
      'a proof of an entry that is not listed',
      (r) => r.entries.pop(),
      ['entry: the proven entry is none of those listed'],
    ],
    [
      'a proof whose entry was altered',
      (r) => (r.proof['entry'] = { ...(r.proof['entry'] as Record<string, Json>), by: 'x' }),
      [
        'entry: the proven entry hashes to d23ed322e7dbf55df6587e13fc6ec0ecefb8c07c56125bbe686ae10018cc7340, not to eaf32b0769e540b1c650368b2666d3683cdf4fed97bd1d15e65f565cd09173a4',
      ],
    ],
    [
      'another log index',
      (r) => (r.proof['log_index'] = 257),
      ['log_index: the receipt says log index 257, the proof 258'],
    ],
    [
      'a proof for another index',
      (r) => (r.proof['tlog_proof'] = (r.proof['tlog_proof'] as string).replace('index 258', 'index 257')),
      ['inclusion: the proof does not lead from this entry at 257 to the signed root'],
    ],
  ])('refuses %s', async (_title, change, expected) => {
    expect(await failures(change)).toEqual(expected);
  });

  test('rejects an altered entry with a recomputed hash at the entry after it', async () => {
    const [first, second] = golden.receipt.entries as [Record<string, Json>, Record<string, Json>];
    const { n: _n, prev: _prev, hash: _hash, ...draft } = second;
    const forged = seal({ ...draft, status: 'failed' } as unknown as Parameters<typeof seal>[0], {
      n: 0,
      hash: first['hash'] as string,
      ts: first['ts'] as string,
    });
    expect(headOf(forged).n).toBe(1);
    const found = await failures((r) => {
      r.status = 'failed';
      r.entries[1] = { ...forged.entry, hash: forged.hash };
    });
    expect(found).toEqual([`chain: entry 2 of ${chain}: prev does not match the hash before it`]);
  });

  test('rejects a signature without the key', async () => {
    expect(failuresOf(await verifyReceipt(receipt()))).toEqual([
      "signature: the log's verifier key was not given",
    ]);
  });

  test.each<[string, Json, string]>([
    ['a list', [], 'document: the receipt is not a JSON object'],
    ['text that is not JSON', '{', 'document: the receipt is not JSON: a key is missing (at character 1)'],
    [
      'text with a key twice',
      '{"id":1,"id":2}',
      'document: the receipt is not JSON: the key "id" stands twice (at character 12)',
    ],
    ['an empty object', {}, 'chain: no entry is listed'],
  ])('refuses %s', async (_title, document, why) => {
    expect(failuresOf(await verifyReceipt(document, key))[0]).toBe(why);
  });
});
