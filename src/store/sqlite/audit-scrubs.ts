/** The part of an audit that looks at scrubbed contents: what stands in for each must be committed to by a scrub entry. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredContent } from '../../engine/act.ts';
import type { Finding } from '../../ledger/audit.ts';
import { troubleWithScrub } from '../../ledger/scrub.ts';
import { contentColumnsOf, contentSlots, scrubColumns } from './ddl.ts';

/** Answers with how many contents are scrubbed; what is wrong with one is told to `find`. */
export function auditScrubs(db: DatabaseSync, find: (finding: Finding) => void): number {
  const [scrubbedBy, replacement] = scrubColumns(db);
  const entry = db.prepare('SELECT chain, n FROM entry WHERE seq = ?');
  const chain = db.prepare('SELECT seq, text FROM entry WHERE chain = ? ORDER BY n');
  const contents = db.prepare(
    `SELECT ${contentColumnsOf(db)} FROM content WHERE id >= ? AND id < ? ORDER BY id`,
  );
  const known = new Map<string, Parameters<typeof troubleWithScrub>[1]>();
  const entriesOf = (name: string): Parameters<typeof troubleWithScrub>[1] => {
    const own = (chain.all(name) as unknown as { readonly seq: number; readonly text: string }[]).map(
      ({ seq, text }) => ({
        text,
        contents: contents.all(seq * contentSlots, (seq + 1) * contentSlots) as unknown as StoredContent[],
      }),
    );
    // They lie together mostly: the last few are enough.
    if (known.size > 16) known.clear();
    known.set(name, own);
    return own;
  };
  let count = 0;
  for (const row of db
    .prepare(
      `SELECT id, field, ${replacement} AS replacement, ${scrubbedBy} AS scrubbedBy FROM content WHERE ${scrubbedBy} IS NOT NULL`,
    )
    .iterate() as unknown as Iterable<{
    readonly id: number;
    readonly field: string;
    readonly replacement: string | null;
    readonly scrubbedBy: string;
  }>) {
    count++;
    const seq = Math.floor(row.id / contentSlots);
    const at = entry.get(seq) as { readonly chain: string; readonly n: number } | undefined;
    if (at === undefined) continue;
    const trouble = troubleWithScrub(
      { ...row, ...at },
      known.get(row.scrubbedBy) ?? entriesOf(row.scrubbedBy),
    );
    if (trouble !== undefined) find({ seq, ...at, reason: trouble });
  }
  return count;
}
