/**
 * Trust policies (C2SP tlog-policy): which logs are trusted, and which witnesses must have cosigned their checkpoints.
 * A cosignature that this platform cannot verify counts for nothing, and the check says so.
 */
import { equal, fromUtf8, type Bytes } from './bytes.ts';
import {
  cosignatureType,
  mlDsaType,
  noteType,
  parseKey,
  timeOf,
  verifySignature,
  type VerifierKey,
} from './cosignature.ts';
import type { Json } from './json.ts';
import { isOf, parseVerifierKey, splitNote } from './note.ts';
import { failed, passed, InvalidEvidence, type Check, type WitnessFinding } from './report.ts';

/** What the verifier trusts: the log's key, a policy, or both. */
export interface Trust {
  /** `name+hash+key`. */
  readonly verifierKey?: string | undefined;
  /** The text of a policy, or the bytes of its file. */
  readonly policy?: string | Uint8Array | undefined;
}

/** A key alone stands for the trust in it. */
export type Trusted = string | Trust | undefined;

export interface Policy {
  readonly logs: readonly VerifierKey[];
  readonly witnesses: readonly { readonly name: string; readonly key: VerifierKey }[];
  readonly groups: readonly {
    readonly name: string;
    readonly threshold: number;
    readonly members: readonly string[];
  }[];
  /** Name of a witness or group, or `none`. */
  readonly quorum: string;
}

const bytesMax = 1024 * 1024;
const definitionsMax = 1024;

export function trustOf(trusted: Trusted): Trust {
  return typeof trusted === 'object' ? trusted : { verifierKey: trusted };
}

/** Reads a policy. Throws `InvalidEvidence` with the number of the line that is malformed. */
export async function parsePolicy(file: string | Uint8Array): Promise<Policy> {
  const text = typeof file === 'string' ? file : (fromUtf8(file) ?? latin1(file));
  if (text.length > bytesMax) throw new InvalidEvidence('policy', 'the policy is larger than 1 MB');
  const policy = {
    logs: [] as VerifierKey[],
    witnesses: [] as { name: string; key: VerifierKey }[],
    groups: [] as { name: string; threshold: number; members: string[] }[],
  };
  const names = new Set<string>();
  const members = new Set<string>();
  let quorum: string | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const wrong = (reason: string): InvalidEvidence =>
      new InvalidEvidence('policy', `line ${i + 1} of the policy: ${reason}`);
    const keyOf = async (vkey: string, types: readonly number[]): Promise<VerifierKey> =>
      parseKey(vkey, types).catch((error: unknown) => {
        throw error instanceof InvalidEvidence ? wrong(error.message) : error;
      });
    const define = (name: string): void => {
      if (name === 'none' || names.has(name)) throw wrong(`"${name}" is defined already`);
      names.add(name);
    };
    // eslint-disable-next-line no-control-regex
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(line)) throw wrong('it holds a control character other than tab');
    const [keyword, ...rest] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (keyword === undefined || keyword.startsWith('#')) continue;
    if (names.size + policy.logs.length >= definitionsMax && keyword !== 'quorum')
      throw wrong(`a policy has at most ${definitionsMax} logs, witnesses and groups`);
    const [first, second, third, ...more] = rest;
    if (keyword === 'log' && first !== undefined && rest.length <= 2) {
      const key = await keyOf(first, [noteType, mlDsaType]);
      if (policy.logs.some((log) => equal(log.bytes, key.bytes)))
        throw wrong('this key stands on a line above');
      policy.logs.push(key);
    } else if (keyword === 'witness' && first !== undefined && second !== undefined && more.length === 0) {
      const key = await keyOf(second, [cosignatureType, mlDsaType]);
      if (policy.witnesses.some((each) => equal(each.key.bytes, key.bytes)))
        throw wrong('this key stands on a line above');
      define(first);
      policy.witnesses.push({ name: first, key });
    } else if (keyword === 'group' && first !== undefined && second !== undefined && third !== undefined) {
      const own = rest.slice(2);
      const threshold = second === 'all' ? own.length : second === 'any' ? 1 : Number(second);
      if (!/^(?:all|any|[1-9]\d{0,5})$/.test(second) || threshold > own.length)
        throw wrong(`"${second}" is not all, any or a number from 1 to ${own.length}`);
      for (const member of own) {
        if (!names.has(member)) throw wrong(`"${member}" is not defined on a line above`);
        if (members.has(member)) throw wrong(`"${member}" is a member of a group already`);
        members.add(member);
      }
      define(first);
      policy.groups.push({ name: first, threshold, members: own });
    } else if (keyword === 'quorum' && first !== undefined && rest.length === 1 && quorum === undefined) {
      if (first !== 'none' && !names.has(first)) throw wrong(`"${first}" is not defined on a line above`);
      quorum = first;
    } else throw wrong(`"${line.trim().slice(0, 40)}" is no log, witness, group or only quorum`);
  }
  if (quorum === undefined) throw new InvalidEvidence('policy', 'the policy has no quorum line');
  return { ...policy, quorum };
}

/**
 * The key that must have signed a checkpoint: the one that was given, else the policy's key of its log, else the one that
 * the document itself names.
 */
export async function keyFor(
  note: Json | undefined,
  { verifierKey, policy: file }: Trust,
  own?: () => Promise<string>,
): Promise<{ readonly key: VerifierKey; readonly isNamedByItself: boolean }> {
  if (verifierKey !== undefined) return { key: await parseVerifierKey(verifierKey), isNamedByItself: false };
  if (file !== undefined && typeof note === 'string') {
    const policy = await parsePolicy(file);
    if (policy.logs.length > 0) return { key: logIn(policy, note), isNamedByItself: false };
  }
  if (own === undefined) throw new InvalidEvidence('signature', "the log's verifier key was not given");
  return { key: await parseVerifierKey(await own()), isNamedByItself: true };
}

/** The `quorum` check of a checkpoint that `key` has signed; none without a policy. */
export async function checkPolicy(
  note: string,
  key: VerifierKey,
  { policy: file }: Trust,
  at?: string,
): Promise<readonly Check[]> {
  return file === undefined ? [] : [await checkQuorum(note, await parsePolicy(file), key, at)];
}

/** Whether the policy's witnesses have cosigned a checkpoint that this key of its log has signed. */
async function checkQuorum(note: string, policy: Policy, key: VerifierKey, at?: string): Promise<Check> {
  const { logs, witnesses, groups, quorum } = policy;
  if (logs.length > 0 && !logs.some((log) => log.name === key.name && equal(log.bytes, key.bytes)))
    return failed('quorum', `the policy does not trust this key of ${key.name}`, at);
  const { text, signatures } = splitNote(note);
  // A log may sign with several keys; the note is no evidence if one of them is wrong.
  for (const log of logs.filter(({ bytes }) => !equal(bytes, key.bytes))) {
    const signature = signatures.find((each) => isOf(each, log))?.bytes.slice(4);
    if (signature !== undefined && (await verifySignature(log, text, signature)) === 'wrong')
      return failed('quorum', `the signature of ${log.name} with another key of the policy is wrong`, at);
  }
  const found: WitnessFinding[] = [];
  for (const { name, key: witness } of witnesses) {
    const signature = signatures.find((each) => isOf(each, witness))?.bytes.slice(4);
    if (signature === undefined) {
      found.push({ name, state: 'absent' });
      continue;
    }
    const verified = await verifySignature(witness, text, signature);
    if (verified === 'wrong') return failed('quorum', `the cosignature of ${name} is wrong`, at);
    if (verified === 'unsupported') found.push({ name, state: 'unchecked' });
    else found.push({ name, state: 'cosigned', ...statedTime(signature) });
  }
  const cosigned = found.filter(({ state }) => state === 'cosigned');
  const unchecked = found.filter(({ state }) => state === 'unchecked');
  const isMet = meets(policy, cosigned);
  const state = isMet ? 'met' : meets(policy, [...cosigned, ...unchecked]) ? 'undecided' : 'unmet';
  const group = groups.find(({ name }) => name === quorum);
  const demanded =
    group === undefined ? quorum : `${quorum} (${group.threshold} of ${group.members.join(', ')})`;
  const by =
    cosigned.length === 0
      ? 'by no witness of the policy'
      : `by ${cosigned.map(({ name, timeSeconds }) => `${name}${whenOf(timeSeconds)}`).join(', ')}`;
  const not =
    unchecked.length === 0
      ? ''
      : `; not checked, as this platform has no ML-DSA-44: ${unchecked.map(({ name }) => name).join(', ')}`;
  const check = isMet
    ? passed('quorum', `cosigned ${by}: the quorum ${demanded} is met${not}`, at)
    : failed('quorum', `cosigned ${by}: the quorum ${demanded} is not met${not}`, at);
  return { ...check, witnessing: { witnesses: found, quorum, needed: fewest(policy), state } };
}

/** Whether these witnesses make the quorum. */
function meets({ groups, quorum }: Policy, by: readonly WitnessFinding[]): boolean {
  const met = new Set(by.map(({ name }) => name));
  // Groups name only what stands above them.
  for (const { name, threshold, members } of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  return quorum === 'none' || met.has(quorum);
}

/** How many witnesses make the quorum where the fewest do. */
function fewest({ groups, quorum }: Policy): number {
  if (quorum === 'none') return 0;
  const of = new Map<string, number>();
  for (const { name, threshold, members } of groups) {
    const costs = members.map((member) => of.get(member) ?? 1).sort((a, b) => a - b);
    of.set(
      name,
      costs.slice(0, threshold).reduce((sum, cost) => sum + cost, 0),
    );
  }
  return of.get(quorum) ?? 1;
}

/**
 * Whether a note has signature lines that neither `key` nor the policy vouches for: of unknown keys, or further ones of a
 * known key. Anybody can add such lines, and they prove nothing.
 */
export async function hasUnverifiedLines(
  note: string,
  key: VerifierKey,
  { policy: file }: Trust,
): Promise<boolean> {
  const policy = file === undefined ? undefined : await parsePolicy(file);
  const known = [key, ...(policy?.logs ?? []), ...(policy?.witnesses ?? []).map((witness) => witness.key)];
  const { signatures } = splitNote(note);
  return signatures.some((signature, i) => {
    const by = known.find((each) => isOf(signature, each));
    return by === undefined || signatures.findIndex((each) => isOf(each, by)) < i;
  });
}

/** For what shows no checkpoint at all. */
export async function lacksQuorum({ policy: file }: Trust): Promise<readonly Check[]> {
  if (file === undefined) return [];
  const { quorum } = await parsePolicy(file);
  return [failed('quorum', `it shows no checkpoint that the quorum ${quorum} could have cosigned`)];
}

/** The policy's key of the log whose checkpoint this says that it is. */
function logIn({ logs }: Policy, note: string): VerifierKey {
  const origin = note.split('\n', 1)[0] as string;
  const { signatures } = splitNote(note);
  // Any key of the log suffices; every platform verifies Ed25519.
  const named = logs
    .filter(({ name }) => name === origin)
    .toSorted((a, b) => Number(b.type === noteType) - Number(a.type === noteType));
  const log = named.find((key) => signatures.some((each) => isOf(each, key))) ?? named[0];
  if (log === undefined)
    throw new InvalidEvidence('quorum', `the policy names no log ${JSON.stringify(origin)}`);
  return log;
}

/** Cosigners may state no time; one that no calendar has is none. */
function statedTime(signature: Bytes): { readonly timeSeconds?: number } {
  const time = timeOf(signature);
  return time > 0 && time < 8.64e12 ? { timeSeconds: time } : {};
}

function whenOf(time: number | undefined): string {
  return time === undefined ? '' : ` at ${new Date(time * 1000).toISOString().replace('.000Z', 'Z')}`;
}

/** Names are compared as they stand in the file, whatever its encoding. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
}
