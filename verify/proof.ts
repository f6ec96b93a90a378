/**
 * Offline proofs (C2SP tlog-proof): parsed strictly and verified with the log's verifier key and the entry.
 */
import { fromBase64, fromHex, hex, type Bytes } from './bytes.ts';
import { canonical, isRecord, parse, type Json } from './json.ts';
import { hashBytes, leafHash, verifyInclusion } from './merkle.ts';
import { isDecimal } from './checkpoint.ts';
import { openCheckpoint } from './note.ts';
import { checkPolicy, hasUnverifiedLines, keyFor, trustOf, type Trust, type Trusted } from './policy.ts';
import { attempt, failed, passed, InvalidEvidence, reportOf, type Check, type Report } from './report.ts';

export interface TlogProof {
  readonly index: number;
  readonly hashes: readonly Bytes[];
  readonly checkpoint: string;
  /** Opaque, and authenticated by nothing. */
  readonly extra?: Bytes;
}

const header = 'c2sp.org/tlog-proof@v1';

/**
 * Whether `proof` shows that an entry is in the log of a verifier key (`name+hash+key`) or policy. The entry is an
 * object (with or without its `hash`), its exact JSON text, or its hash in hex.
 */
export async function verifyProofText(proof: string, trusted: Trusted, entry: Json): Promise<Report> {
  const checks: Check[] = [];
  await attempt(checks, undefined, async () => {
    const leaf = await leafOf(entry);
    checks.push(passed('entry', `the entry's hash is ${hex(leaf)}`));
    checks.push(...(await checkProof(proof, trustOf(trusted), leaf)));
  });
  return reportOf(checks);
}

/** The `signature`, `quorum` and `inclusion` checks of one proof. */
export async function checkProof(text: string, trust: Trust, leaf: Bytes, at?: string): Promise<Check[]> {
  const checks: Check[] = [];
  await attempt(checks, at, async () => {
    if (trust.verifierKey === undefined && trust.policy === undefined)
      throw new InvalidEvidence('signature', "the log's verifier key was not given");
    const proof = parseProof(text);
    const { key } = await keyFor(proof.checkpoint, trust);
    const { origin, size, root } = await openCheckpoint(proof.checkpoint, key);
    checks.push(
      passed('signature', `${origin} signed the log of ${size} entries`, at),
      ...(await checkPolicy(proof.checkpoint, key, trust, at)),
    );
    checks.push(
      (await verifyInclusion(proof.index, size, leaf, proof.hashes, root))
        ? passed('inclusion', `entry ${proof.index} of that log is this one`, at)
        : failed(
            'inclusion',
            `the proof does not lead from this entry at ${proof.index} to the signed root`,
            at,
          ),
    );
  });
  return checks;
}

export function parseProof(text: string): TlogProof {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (end < 0 || first !== header)
    throw new InvalidEvidence('proof', `the proof does not begin with ${header}`);
  let extra: Bytes | undefined;
  if (lines[0]?.startsWith('extra ')) {
    extra = fromBase64((lines.shift() as string).slice('extra '.length));
    if (extra === undefined) throw new InvalidEvidence('proof', "the proof's extra data is not base64");
  }
  const index = /^index (\d+)$/.exec(lines.shift() ?? '')?.[1] ?? '';
  if (!isDecimal(index)) throw new InvalidEvidence('proof', 'the proof has no index');
  const hashes = lines.map((line, i) => {
    const hash = fromBase64(line);
    if (hash?.length !== hashBytes)
      throw new InvalidEvidence('proof', `hash ${i} of the proof is not ${hashBytes} bytes of base64`);
    return hash;
  });
  const proof = { index: Number(index), hashes, checkpoint: text.slice(end + 2) };
  return extra === undefined ? proof : { ...proof, extra };
}

/** The parts of a proof that was found right which nothing in it vouches for, below the member at `place`. */
export async function uncoveredIn(text: string, trust: Trust, place: string): Promise<string[]> {
  const { checkpoint, extra } = parseProof(text);
  const { key } = await keyFor(checkpoint, trust);
  const hasMore = await hasUnverifiedLines(checkpoint, key, trust);
  return [...(extra === undefined ? [] : [`${place}.extra`]), ...(hasMore ? [`${place}.signatures`] : [])];
}

async function leafOf(entry: Json): Promise<Bytes> {
  if (typeof entry === 'string' && entry.length === 64) {
    const leaf = fromHex(entry);
    if (leaf !== undefined) return leaf;
  }
  let value = entry;
  try {
    if (typeof entry === 'string') value = parse(entry);
    if (!isRecord(value)) throw new TypeError('it is not an object');
    const { hash, ...hashed } = value;
    const leaf = await leafHash(canonical(hashed));
    if (hash !== undefined && hash !== hex(leaf)) throw new TypeError('its hash does not match it');
    return leaf;
  } catch (error) {
    throw new InvalidEvidence('entry', `the entry cannot be hashed: ${(error as Error).message}`);
  }
}
