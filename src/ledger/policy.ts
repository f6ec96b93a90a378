/**
 * Trust policies (C2SP tlog-policy, contract §6): which logs are trusted, which witnesses are known, and which of them
 * must have cosigned a checkpoint. A policy file is bytes; names are compared as they stand in it. Every malformed line
 * is refused with its number.
 */
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import {
  cosignaturesIn,
  parseCosignerKey,
  parseLogKey,
  type Cosignature,
  type CosignerKey,
} from './cosignature.ts';
import { openNote, type VerifierKey } from './note.ts';
import { isRefusal, refuse, type Refusal } from './refusal.ts';

export interface PolicyLog {
  readonly key: VerifierKey;
  readonly url?: string;
}

export interface PolicyWitness {
  /** What the policy calls it; its key has a name of its own. */
  readonly name: string;
  readonly key: CosignerKey;
  /** By recommendation the submission prefix: requests go to `<url>/add-checkpoint`. */
  readonly url?: string;
}

export interface PolicyGroup {
  readonly name: string;
  readonly threshold: number;
  /** Names of witnesses and of groups. */
  readonly members: readonly string[];
}

export interface Policy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: readonly PolicyGroup[];
  /** Name of a witness or a group, or `none`. */
  readonly quorum: string;
}

/** What a policy says of one checkpoint, whose log signature is verified. */
export interface Judgement {
  readonly checkpoint: Checkpoint;
  /** The checkpoint's text, which all signatures are about. */
  readonly text: string;
  /** The policy's witnesses that have cosigned it, in the order of the policy. */
  readonly cosigned: readonly (Cosignature & { readonly witness: string })[];
  readonly hasQuorum: boolean;
  /** One clause for people that names the quorum: who has cosigned, and what is missing. */
  readonly summary: string;
}

const bytesMax = 1024 * 1024;
/** Logs, witnesses and groups together; the specification recommends at least 32 of each. */
const definitionsMax = 1024;

/** Reads a policy file. */
export function parsePolicy(file: Uint8Array | string): Policy | Refusal {
  const bytes = typeof file === 'string' ? Buffer.from(file, 'utf8') : Buffer.from(file);
  if (bytes.length > bytesMax) return refuse(`the policy is larger than ${bytesMax} bytes`);
  // Both ways of reading keep different names different.
  const utf8 = bytes.toString('utf8');
  const text = Buffer.from(utf8, 'utf8').equals(bytes) ? utf8 : bytes.toString('latin1');
  const reader = new PolicyReader();
  for (const [i, line] of text.split('\n').entries()) {
    const wrong = reader.line(line);
    if (wrong !== undefined) return refuse(`line ${i + 1} of the policy: ${wrong}`);
  }
  return reader.policy();
}

/** Whether the policy demands anything of witnesses. */
export function demandsWitnesses({ quorum }: Policy): boolean {
  return quorum !== 'none';
}

/** Whether the policy trusts a log: it names the key, or no log at all. */
export function trustsLog({ logs }: Policy, key: VerifierKey): boolean {
  return logs.length === 0 || logs.some((log) => log.key.text === key.text);
}

/**
 * Judges a checkpoint: one of the policy's logs must have signed it under its own origin, or one of `known` where the
 * policy names no log. A wrong signature of any known key is a refusal; a missing quorum is a judgement.
 */
export function judgeNote(
  note: string,
  policy: Policy,
  known: readonly VerifierKey[] = [],
): Judgement | Refusal {
  const logs = policy.logs.length > 0 ? policy.logs.map(({ key }) => key) : known;
  if (logs.length === 0) return refuse('the policy names no log, and no key of a log is given');
  const witnesses = policy.witnesses.map(({ key }) => key);
  const opened = openNote(note, [...logs, ...witnesses]);
  if (isRefusal(opened)) return opened;
  const checkpoint = parseCheckpoint(opened.text);
  if (isRefusal(checkpoint)) return checkpoint;
  // A witness may bear the name of a log; its signature is none of the log's.
  const isSigned = opened.signedBy.some((key) => logs.includes(key) && key.name === checkpoint.origin);
  if (!isSigned) return refuse(`no trusted key of the log ${checkpoint.origin} has signed the checkpoint`);
  const found = cosignaturesIn(opened.signatures, witnesses);
  const cosigned = policy.witnesses.flatMap(({ name, key }) =>
    found.filter((cosignature) => cosignature.key === key).map((each) => ({ ...each, witness: name })),
  );
  const names = cosigned.map(({ witness }) => witness);
  const hasQuorum = meetsQuorum(policy, names);
  return { checkpoint, text: opened.text, cosigned, hasQuorum, summary: summarize(policy, names, hasQuorum) };
}

/** Whether the witnesses of these names suffice. */
export function meetsQuorum({ quorum, groups }: Policy, cosigned: readonly string[]): boolean {
  if (quorum === 'none') return true;
  // Groups name only what stands above them, so that each is decided once, in their order.
  const met = new Set(cosigned);
  for (const { name, threshold, members } of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  return met.has(quorum);
}

function summarize({ quorum, groups }: Policy, cosigned: readonly string[], hasQuorum: boolean): string {
  const by = cosigned.length === 0 ? 'by no witness of the policy' : `by ${cosigned.join(', ')}`;
  if (hasQuorum) return `cosigned ${by}: the quorum ${quorum} is met`;
  const group = groups.find(({ name }) => name === quorum);
  const needs = group === undefined ? '' : ` (${group.threshold} of ${group.members.join(', ')})`;
  return `cosigned ${by}: the quorum ${quorum}${needs} is not met`;
}

/** Takes a policy line by line; what is wrong with a line is answered as a clause. */
class PolicyReader {
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #groups: PolicyGroup[] = [];
  readonly #names = new Set<string>();
  /** Names that are members of a group already: each counts in one way only. */
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  line(line: string): string | undefined {
    // eslint-disable-next-line no-control-regex
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(line)) return 'it holds a control character other than tab';
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    const [keyword, ...rest] = items;
    if (keyword === undefined || keyword.startsWith('#')) return undefined;
    if (this.#logs.length + this.#names.size >= definitionsMax && keyword !== 'quorum')
      return `a policy has at most ${definitionsMax} logs, witnesses and groups`;
    if (keyword === 'log') return this.#log(rest);
    if (keyword === 'witness') return this.#witness(rest);
    if (keyword === 'group') return this.#group(rest);
    if (keyword === 'quorum') return this.#readQuorum(rest);
    return `"${keyword}" is not log, witness, group or quorum`;
  }

  policy(): Policy | Refusal {
    if (this.#quorum === undefined) return refuse('the policy has no quorum line');
    return {
      logs: this.#logs,
      witnesses: this.#witnesses,
      groups: this.#groups,
      quorum: this.#quorum,
    };
  }

  #log([vkey, url, ...more]: readonly string[]): string | undefined {
    if (vkey === undefined || more.length > 0) return 'a log is "log <vkey> [<url>]"';
    const key = parseLogKey(vkey);
    if (isRefusal(key)) return key.refused;
    if (isDuplicate(this.#logs, key)) return 'the key of this log stands on a line above';
    this.#logs.push(url === undefined ? { key } : { key, url });
    return undefined;
  }

  #witness([name, vkey, url, ...more]: readonly string[]): string | undefined {
    if (name === undefined || vkey === undefined || more.length > 0)
      return 'a witness is "witness <name> <vkey> [<url>]"';
    const key = parseCosignerKey(vkey);
    if (isRefusal(key)) return key.refused;
    if (isDuplicate(this.#witnesses, key)) return 'the key of this witness stands on a line above';
    const taken = this.#define(name);
    if (taken !== undefined) return taken;
    this.#witnesses.push(url === undefined ? { name, key } : { name, key, url });
    return undefined;
  }

  #group([name, count, ...members]: readonly string[]): string | undefined {
    if (name === undefined || count === undefined || members.length === 0)
      return 'a group is "group <name> all|any|<k> <name>…"';
    const threshold = count === 'all' ? members.length : count === 'any' ? 1 : Number(count);
    const isCount = count === 'all' || count === 'any' || /^[1-9]\d{0,5}$/.test(count);
    if (!isCount || threshold > members.length)
      return `"${count}" is not all, any or a number from 1 to ${members.length}`;
    for (const member of members) {
      if (!this.#names.has(member)) return `"${member}" is not defined on a line above`;
      if (this.#members.has(member)) return `"${member}" is a member of a group already`;
      this.#members.add(member);
    }
    const taken = this.#define(name);
    if (taken !== undefined) return taken;
    this.#groups.push({ name, threshold, members });
    return undefined;
  }

  #readQuorum([name, ...more]: readonly string[]): string | undefined {
    if (name === undefined || more.length > 0) return 'a quorum is "quorum <name>"';
    if (this.#quorum !== undefined) return 'the quorum stands on a line above';
    if (name !== 'none' && !this.#names.has(name)) return `"${name}" is not defined on a line above`;
    this.#quorum = name;
    return undefined;
  }

  #define(name: string): string | undefined {
    if (name === 'none') return '"none" is predefined and names nothing else';
    if (this.#names.has(name)) return `"${name}" is defined on a line above`;
    this.#names.add(name);
    return undefined;
  }
}

/** Keys are the same where they wrap one public key, whatever their names and ids. */
function isDuplicate(above: readonly { readonly key: VerifierKey }[], { publicBytes }: VerifierKey): boolean {
  return above.some(({ key }) => Buffer.from(key.publicBytes).equals(publicBytes));
}
