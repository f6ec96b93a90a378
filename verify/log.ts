/**
 * Verifies a whole log over HTTP (C2SP tlog-tiles): the signed checkpoint, each entry against its leaf, each tile against the
 * tiles below, the root against the signature, and each chain from genesis. The server is trusted for the key only, and only
 * if none was given.
 */
import { LogAudit, type Progress } from './log-audit.ts';
import { hex } from './bytes.ts';
import { fetchFrom, readText, type LogFetch } from './files.ts';
import { openCheckpoint, parseVerifierKey } from './note.ts';
import { attempt, passed, reportOf, type Check, type Report } from './report.ts';

export interface LogOptions {
  /** `name+hash+key`. Without it the log's own word is taken, and the report says so. */
  readonly verifierKey?: string;
  /** A checkpoint kept from before: the log must still begin with what it signed. */
  readonly previous?: string;
  readonly progress?: Progress;
}

/** `source` is the log's base URL, or a function that reads its files. */
export async function verifyLogAt(source: string | LogFetch, options: LogOptions = {}): Promise<Report> {
  const read = typeof source === 'string' ? fetchFrom(source) : source;
  const checks: Check[] = [];
  await attempt(checks, undefined, async () => {
    const given = options.verifierKey;
    const key = await parseVerifierKey(given ?? (await readText(read, '.well-known/colophon-key')));
    checks.push(
      passed(
        'key',
        given === undefined
          ? `the server itself names the key of ${key.name}`
          : `the key of ${key.name} was given`,
      ),
    );
    const signed = await openCheckpoint(await readText(read, 'checkpoint'), key);
    checks.push(
      passed(
        'signature',
        `${signed.origin} signed a log of ${signed.size} entries with root ${hex(signed.root)}`,
      ),
    );
    const previous = options.previous === undefined ? undefined : await openCheckpoint(options.previous, key);
    const audit = new LogAudit(read, signed, previous, options.progress);
    await attempt(checks, undefined, () => audit.run());
    checks.push(...audit.checks());
  });
  return reportOf(checks);
}
