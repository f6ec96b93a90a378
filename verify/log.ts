/**
 * Verifies a whole log over HTTP (C2SP tlog-tiles) up to the newest checkpoint that it has signed: the signatures, each entry against its leaf, each tile against the
 * tiles below, the root against the signature, and each chain from genesis. The server is trusted for the key only, and only
 * if none was given.
 */
import { LogAudit, type EarlierCheckpoint, type Progress } from './log-audit.ts';
import { hex } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { VerifierKey } from './cosignature.ts';
import { fetchFrom, readText, type LogFetch } from './files.ts';
import { openCheckpoint } from './note.ts';
import { checkPolicy, keyFor, trustOf, type Trusted } from './policy.ts';
import { attempt, passed, reportOf, type Check, type Report } from './report.ts';

export interface LogOptions {
  /** `name+hash+key`. Without it the log's own word is taken, and the report says so. */
  readonly verifierKey?: string;
  /** A trust policy (C2SP tlog-policy): the log's checkpoint must have its quorum. */
  readonly policy?: string | Uint8Array;
  /** A checkpoint kept from before: the log must still begin with what it signed. */
  readonly previous?: string;
  readonly progress?: Progress;
}

/** `source` is the log's base URL, or a function that reads its files. */
export async function verifyLogAt(source: string | LogFetch, options: LogOptions = {}): Promise<Report> {
  const read = typeof source === 'string' ? fetchFrom(source) : source;
  const checks: Check[] = [];
  await attempt(checks, undefined, async () => {
    const { verifierKey: given, policy } = options;
    const note = await readText(read, 'checkpoint');
    const { key, isNamedByItself } = await keyFor(note, { verifierKey: given, policy }, () =>
      readText(read, '.well-known/colophon-key'),
    );
    const whose = isNamedByItself
      ? `the server itself names the key of ${key.name}`
      : `the key of ${key.name} ${given === undefined ? 'is that of the policy' : 'was given'}`;
    checks.push(passed('key', whose));
    const signed = await openCheckpoint(note, key);
    checks.push(
      passed(
        'signature',
        `${signed.origin} signed a log of ${signed.size} entries with root ${hex(signed.root)}`,
      ),
      ...(await checkPolicy(note, key, { policy })),
    );
    const earlier: EarlierCheckpoint[] = [];
    if (options.previous !== undefined) {
      const checkpoint = await openCheckpoint(options.previous, key);
      earlier.push({ id: 'previous', what: 'signed before', checkpoint });
    }
    const newest = await newestSigned(read, key);
    const isBehind = newest !== undefined && newest.size > signed.size;
    if (isBehind) {
      earlier.push({ id: 'cosigned', what: 'of /checkpoint', checkpoint: signed });
      checks.push(
        passed(
          'newest',
          `the log has signed ${newest.size} entries with root ${hex(newest.root)}; ${newest.size - signed.size} of them are not in /checkpoint yet`,
        ),
      );
    }
    const audit = new LogAudit(read, isBehind ? newest : signed, earlier, options.progress);
    await attempt(checks, undefined, () => audit.run());
    checks.push(...audit.checks());
  });
  return reportOf(checks);
}

/**
 * What the log has signed and not yet had cosigned: Colophon serves the newest checkpoint with a quorum, and beside it the
 * newest. Undefined where a log has no such address.
 */
async function newestSigned(read: LogFetch, key: VerifierKey): Promise<Checkpoint | undefined> {
  const note = await readText(read, 'checkpoint?newest=1').catch(() => undefined);
  return note === undefined ? undefined : openCheckpoint(note, key);
}

/** A checkpoint by itself: who signed it, and whether it has the quorum of the policy. */
export async function verifyCheckpoint(note: string, trusted: Trusted): Promise<Report> {
  const trust = trustOf(trusted);
  const checks: Check[] = [];
  await attempt(checks, undefined, async () => {
    const { key } = await keyFor(note, trust);
    const { origin, size } = await openCheckpoint(note, key);
    checks.push(passed('signature', `${origin} signed the log of ${size} entries`));
    checks.push(...(await checkPolicy(note, key, trust)));
  });
  return reportOf(checks);
}
