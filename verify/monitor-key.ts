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

/**
 * The checkpoints that a log serves: the newest with a quorum, which is the newest for a log without witnesses, and the newest
 * signed one, which only some servers show.
 */
export async function readNotes(read: LogFetch): Promise<readonly [string, ...string[]]> {
  const note = fromUtf8((await read('checkpoint')) ?? new Uint8Array(0));
  if (note === undefined || note === '') throw new Unreachable('it serves no /checkpoint');
  const newest = await read('checkpoint?newest=1').catch((error: unknown) => {
    if (error instanceof Unreachable && error.status !== undefined && error.status < 500) return undefined;
    throw error;
  });
  const text = newest === undefined ? undefined : fromUtf8(newest);
  return text === undefined || text === note ? [note] : [note, text];
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
