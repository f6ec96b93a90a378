/** Audits contents that are gone: a scrub entry must commit to what replaced a scrubbed content. */
import type { DatabaseSync } from 'node:sqlite';
import type { Finding } from '../../ledger/audit.ts';
import { ScrubEntries, checkMissingContent } from '../../ledger/scrub.ts';
import { contentSlots, scrubColumns } from './ddl.ts';
import type { Packed } from './packed-contents.ts';
import { packedColumnsOf, StoredContents } from './stored-contents.ts';

/** Returns the number of scrubbed contents; reports each problem to `find`. */
export function auditScrubs(db: DatabaseSync, find: (finding: Finding) => void): number {
  const [scrubbedBy, replacement] = scrubColumns(db);
  const entry = db.prepare('SELECT chain, n, text FROM entry WHERE seq = ?');
  const chainOf = db.prepare(
    `SELECT seq, text, ${packedColumnsOf(db)} FROM entry WHERE chain = ? ORDER BY n`,
  );
  const contents = new StoredContents(db);
  const known = new Map<string, ScrubEntries>();
  const entriesOf = (name: string): ScrubEntries => {
    const own = new ScrubEntries(
      (chainOf.all(name) as unknown as (Packed & { readonly seq: number; readonly text: string })[]).map(
        (row) => ({ text: row.text, contents: contents.of(row) }),
      ),
    );
    // They lie together mostly: the last few are enough.
    if (known.size > 16) known.clear();
    known.set(name, own);
    return own;
  };
  const first = db.prepare('SELECT text FROM entry WHERE chain = ? AND n = 0');
  let count = 0;
  for (const row of db
    .prepare(
      `SELECT id, field, ${replacement} AS replacement, ${scrubbedBy} AS scrubbedBy FROM content WHERE body IS NULL`,
    )
    .iterate() as Iterable<{
    readonly id: number;
    readonly field: string;
    readonly replacement: string | null;
    readonly scrubbedBy: string | null;
  }>) {
    const seq = Math.floor(row.id / contentSlots);
    const at = entry.get(seq) as
      { readonly chain: string; readonly n: number; readonly text: string } | undefined;
    if (at === undefined) continue;
    const { chain, n, text } = at;
    if (row.scrubbedBy !== null) count++;
    const trouble =
      row.scrubbedBy === null
        ? checkMissingContent(row.field, text, first.get(chain)?.['text'] as string | undefined)
        : (known.get(row.scrubbedBy) ?? entriesOf(row.scrubbedBy)).check({
            ...row,
            scrubbedBy: row.scrubbedBy,
            chain,
            n,
          });
    if (trouble !== undefined) find({ seq, chain, n, reason: trouble });
  }
  return count;
}
