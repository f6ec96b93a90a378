/** Whose signature a monitored log must bear: a given key, the policy's, the one that was pinned, or at first the log's own. */
import { fromUtf8, hex } from './bytes.ts';
import type { VerifierKey } from './cosignature.ts';
import type { LogFetch } from './files.ts';
import type { MonitoredKey } from './monitor.ts';
import { Unreachable } from './monitor-fetch.ts';
import { isOf, parseVerifierKey, splitNote } from './note.ts';
import { keyFor, parsePolicy } from './policy.ts';
import { InvalidEvidence } from './report.ts';

export interface KeySources {
  /** `name+hash+key`; where any is given, the log must be of one of them. */
  readonly given: readonly string[];
  readonly policy: Uint8Array | undefined;
  /** The key that was taken at first use. */
  readonly pinned: string | undefined;
}

export type KeyOrigin = 'given' | 'policy' | 'pinned' | 'first use';

export async function monitoredKey(
  read: LogFetch,
  note: string,
  { given, policy, pinned }: KeySources,
): Promise<MonitoredKey & { readonly by: KeyOrigin }> {
  if (given.length > 0) return { ...(await ofGiven(given, note)), by: 'given' };
  if (policy !== undefined && (await parsePolicy(policy)).logs.length > 0) {
    const { key } = await keyFor(note, { policy });
    return { key, text: textOf(key), by: 'policy' };
  }
  const text = pinned ?? fromUtf8((await read('.well-known/colophon-key')) ?? new Uint8Array(0))?.trim();
  if (text === undefined || text === '')
    throw new InvalidEvidence('key', 'the log shows no key at /.well-known/colophon-key; give it with --key');
  const key = await parseVerifierKey(text);
  if (/\p{C}/u.test(key.name))
    throw new InvalidEvidence('key', 'the name of the key has invisible characters');
  return { key, text, by: pinned === undefined ? 'first use' : 'pinned' };
}

export interface ReadNotes {
  readonly notes: readonly [string, ...string[]];
  /** Why one of the two could not be read. What the other says counts all the same. */
  readonly failure?: Unreachable;
}

/**
 * The checkpoints that a log serves: the newest with a quorum, which is the newest for a log without witnesses, and the newest
 * signed one, which only some servers show. A server that fails for one of them does not keep the other from being judged.
 */
export async function readNotes(read: LogFetch): Promise<ReadNotes> {
  const first = await noteAt(read, 'checkpoint');
  const second = await noteAt(read, 'checkpoint?newest=1');
  const isOptional = second instanceof Unreachable && second.status !== undefined && second.status < 500;
  const failure = [first, isOptional ? undefined : second].find((each) => each instanceof Unreachable);
  const notes = [...new Set([first, second].filter((each) => typeof each === 'string'))];
  const [note, ...more] = notes;
  if (note === undefined) throw failure ?? new Unreachable('it serves no /checkpoint');
  return { notes: [note, ...more], ...(failure === undefined ? {} : { failure }) };
}

/** Undefined where the server has no such file. */
async function noteAt(read: LogFetch, path: string): Promise<string | Unreachable | undefined> {
  try {
    const bytes = await read(path);
    const note = bytes === undefined ? undefined : fromUtf8(bytes);
    return note === '' ? undefined : note;
  } catch (error) {
    if (error instanceof Unreachable) return error;
    throw error;
  }
}

async function ofGiven(given: readonly string[], note: string): Promise<MonitoredKey> {
  const origin = note.split('\n', 1)[0] as string;
  const keys: MonitoredKey[] = [];
  for (const text of given) keys.push({ key: await parseVerifierKey(text), text: text.trim() });
  const named = keys.filter(({ key }) => key.name === origin);
  const { signatures } = splitNote(note);
  const found = named.find(({ key }) => signatures.some((each) => isOf(each, key))) ?? named[0];
  if (found === undefined)
    throw new InvalidEvidence('key', `none of the given keys is of the log ${JSON.stringify(origin)}`);
  return found;
}

function textOf({ name, type, id, bytes }: VerifierKey): string {
  return `${name}+${hex(id)}+${btoa(String.fromCodePoint(type, ...bytes))}`;
}
