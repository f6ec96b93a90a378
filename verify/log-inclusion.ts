/**
 * Checks that all entries of a bundle are in the log (contract §6). Each entry names its index, `at`; `origin.inclusion` is a
 * Merkle multiproof which, with the leaf hashes computed from the entries, leads to the root that `origin.checkpoint` signs.
 * Without it, chains are only consistent with themselves, which is easily forged.
 */
import { equal, fromBase64, type Bytes } from './bytes.ts';
import { parseLink } from './chain.ts';
import type { Coverage } from './coverage.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { hashBytes, leafHash, nodeHash } from './merkle.ts';
import { openCheckpoint } from './note.ts';
import { checkPolicy, hasUnverifiedLines, keyFor, type Trust } from './policy.ts';
import { attempt, passed, InvalidEvidence, type Check } from './report.ts';

/** Of a document with `chains`; nothing for any other. */
export async function checkLogInclusion(
  document: JsonRecord,
  trust: Trust,
  coverage: Coverage,
): Promise<Check[]> {
  const { chains, origin } = document;
  if (chains === undefined) return [];
  const checks: Check[] = [];
  await attempt(checks, 'origin', async () => {
    const placed = entriesIn(chains);
    const entries = placed.map(({ entry }) => entry);
    const indexes = placed.map(({ at }) => at);
    if (!isRecord(origin))
      throw new InvalidEvidence('inclusion', 'the bundle does not say of which log it is');
    const own = origin['verifier_key'];
    const named = typeof own === 'string' ? own : '';
    const { key, isNamedByItself } = await keyFor(origin['checkpoint'], trust, async () => named);
    if (isNamedByItself) checks.push(passed('key', `the bundle itself names the key of ${key.name}`));
    // Which other key it names says nothing about the one that was given.
    else if (own === trust.verifierKey?.trim()) coverage.members(origin, 'verifier_key');
    if (origin['log'] !== undefined && origin['log'] !== key.name)
      throw new InvalidEvidence(
        'key',
        `the bundle says that it is of ${JSON.stringify(origin['log'])}, the key is that of ${key.name}`,
      );
    const { checkpoint, inclusion } = origin;
    if (typeof checkpoint !== 'string' || !Array.isArray(inclusion))
      throw new InvalidEvidence(
        'inclusion',
        'nothing shows that the entries are in the log; fetch the bundle again with its proof',
      );
    const { size, root } = await openCheckpoint(checkpoint, key);
    checks.push(
      passed('signature', `${key.name} signed the log of ${size} entries`, 'origin.checkpoint'),
      ...(await checkPolicy(checkpoint, key, trust, 'origin.checkpoint')),
    );
    if (
      indexes.some(
        (index, i) => !Number.isSafeInteger(index) || index <= (indexes[i - 1] ?? -1) || index >= size,
      )
    )
      throw new InvalidEvidence(
        'inclusion',
        'the entries say places that the log does not have, or one twice',
      );
    const leaves = await Promise.all(entries.map((entry) => leafHash(canonical(entry))));
    const proof = new Joint(indexes, leaves, hashesIn(inclusion as readonly Json[]));
    if (!equal(await proof.root(size), root))
      throw new InvalidEvidence('inclusion', 'the entries do not lead to the signed root');
    coverage.members(origin, 'log', 'checkpoint', 'inclusion');
    if (await hasUnverifiedLines(checkpoint, key, trust)) coverage.name('origin.checkpoint.signatures');
    for (const { item } of placed) coverage.members(item, 'at');
    coverage.members(document, 'bundle_version');
    checks.push(passed('inclusion', `all ${leaves.length} entries are in that log`, 'origin.inclusion'));
  });
  return checks;
}

interface Placed {
  readonly item: JsonRecord;
  readonly entry: JsonRecord;
  readonly at: number;
}

/** Every entry of the chains, in the order of the log. */
function entriesIn(chains: Json): Placed[] {
  const placed = Object.entries(isRecord(chains) ? chains : {}).flatMap(([chain, items]) =>
    (Array.isArray(items) ? (items as readonly Json[]) : [null]).map((item, n) => {
      const entry = isRecord(item) ? parseLink(item, '')?.entry : undefined;
      if (!isRecord(item) || !isRecord(item['contents']) || entry?.['chain'] !== chain || entry['n'] !== n)
        throw new InvalidEvidence('chain', `chains.${chain}[${n}] is not entry ${n} of chain ${chain}`);
      return { item, entry, at: typeof item['at'] === 'number' ? item['at'] : Number.NaN };
    }),
  );
  if (placed.length === 0) throw new InvalidEvidence('chain', 'the chains hold no entry');
  return placed.sort((a, b) => a.at - b.at);
}

function hashesIn(inclusion: readonly Json[]): Bytes[] {
  return inclusion.map((text, i) => {
    const hash = typeof text === 'string' ? fromBase64(text) : undefined;
    if (hash?.length !== hashBytes)
      throw new InvalidEvidence('inclusion', `hash ${i} of the proof is not ${hashBytes} bytes of base64`);
    return hash;
  });
}

/** The tree, divided as RFC 6962 divides it: a range without a leaf of ours takes the next hash of the proof. */
class Joint {
  readonly #indexes: readonly number[];
  readonly #leaves: readonly Bytes[];
  readonly #hashes: readonly Bytes[];
  #taken = 0;
  #used = 0;

  constructor(indexes: readonly number[], leaves: readonly Bytes[], hashes: readonly Bytes[]) {
    this.#indexes = indexes;
    this.#leaves = leaves;
    this.#hashes = hashes;
  }

  async root(size: number): Promise<Uint8Array> {
    const root = await this.#range(0, size);
    if (this.#taken < this.#hashes.length)
      throw new InvalidEvidence('inclusion', 'the proof has hashes too many');
    return root;
  }

  async #range(from: number, to: number): Promise<Bytes> {
    // Leaves are used from left to right: the next one is the only one that can be in this range.
    if ((this.#indexes[this.#used] ?? to) >= to) {
      const hash = this.#hashes[this.#taken++];
      if (hash === undefined) throw new InvalidEvidence('inclusion', 'the proof has too few hashes');
      return hash;
    }
    if (to - from === 1) return this.#leaves[this.#used++] as Bytes;
    let half = 1;
    while (half * 2 < to - from) half *= 2;
    const middle = from + half;
    const left = await this.#range(from, middle);
    return nodeHash(left, await this.#range(middle, to));
  }
}
