/** Audits one range of a ledger file, beside the main thread: its own connection, read-only, in sequence order. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { auditEntry, type Finding, type StoredForAudit } from '../../ledger/audit.ts';
import { leafHash } from '../../ledger/entry.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileHeight, tileWidth } from '../../ledger/tiles.ts';
import { contentSlots } from './ddl.ts';

export interface AuditRange {
  readonly path: string;
  /** A multiple of 256. */
  readonly from: number;
  readonly to: number;
}

export interface RangeReport {
  readonly entries: number;
  readonly contents: number;
  readonly findings: readonly Finding[];
  /** Root of each full tile of 256 leaves, then the leaves of the unfinished one; 32 bytes each. */
  readonly tileRoots: Uint8Array;
  readonly tail: Uint8Array;
}

/** Findings kept by one worker; beyond, the ledger is lost anyway. */
const findingsMax = 1000;
const recentMax = 20_000;

interface Row {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
}
interface ContentRow {
  readonly id: number;
  readonly field: string;
  readonly salt: Uint8Array | null;
  readonly body: string | null;
}

export function auditRange({ path, from, to }: AuditRange, progress: (done: number) => void): RangeReport {
  const db = new DatabaseSync(path, { readOnly: true });
  const findings: Finding[] = [];
  const recent = new Map<string, { readonly n: number; readonly hash: string }>();
  const predecessor = db.prepare('SELECT text FROM entry WHERE chain = ? AND n = ?');
  const tile = db.prepare('SELECT bytes FROM tile WHERE level = 0 AND n = ?');
  const before = (chain: string, n: number): string | undefined => {
    const known = recent.get(chain);
    if (known?.n === n) return known.hash;
    const row = predecessor.get(chain, n) as { readonly text: string } | undefined;
    return row === undefined ? undefined : Buffer.from(leafHash(row.text)).toString('hex');
  };
  const entries = db.prepare('SELECT seq, chain, n, text FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq').iterate(from, to) as unknown as Iterator<Row>;
  const contents = db
    .prepare('SELECT id, field, salt, body FROM content WHERE id >= ? AND id < ? ORDER BY id')
    .iterate(from * contentSlots, to * contentSlots) as unknown as Iterator<ContentRow>;
  const roots: Uint8Array[] = [];
  let leaves = new Subtree();
  let expected = from;
  let contentCount = 0;
  let content = contents.next();
  for (let step = entries.next(); step.done !== true; step = entries.next()) {
    const row = step.value;
    if (row.seq !== expected) findings.push({ seq: expected, chain: null, n: null, reason: `the log has no entry ${expected}${row.seq > expected + 1 ? ` to ${row.seq - 1}` : ''}` });
    expected = row.seq + 1;
    const own: ContentRow[] = [];
    for (; content.done !== true && content.value.id < (row.seq + 1) * contentSlots; content = contents.next()) {
      if (content.value.id >= row.seq * contentSlots) own.push(content.value);
      else findings.push({ seq: Math.floor(content.value.id / contentSlots), chain: null, n: null, reason: 'content is stored that belongs to no entry' });
    }
    const stored: StoredForAudit = { ...row, contents: own };
    const audit = auditEntry(stored, before);
    contentCount += own.length;
    for (const finding of audit.findings) if (findings.length < findingsMax) findings.push(finding);
    recent.delete(row.chain);
    recent.set(row.chain, { n: row.n, hash: audit.hash });
    if (recent.size > recentMax) recent.delete(recent.keys().next().value as string);
    leaves.push(audit.leaf);
    if (leaves.width === tileWidth) {
      const n = row.seq / tileWidth - (tileWidth - 1) / tileWidth;
      const bytes = (tile.get(Math.round(n)) as { readonly bytes: Uint8Array } | undefined)?.bytes;
      if (bytes === undefined || !Buffer.from(leaves.bytes()).equals(bytes)) {
        findings.push({ seq: row.seq - tileWidth + 1, chain: null, n: null, reason: `tile 0/${Math.round(n)} does not hold the hashes of entries ${row.seq - tileWidth + 1} to ${row.seq}` });
      }
      roots.push(leaves.node(tileHeight, 0));
      leaves = new Subtree();
      if (roots.length % 64 === 0) progress(row.seq + 1 - from);
    }
  }
  if (expected < to) findings.push({ seq: expected, chain: null, n: null, reason: `the log ends at entry ${expected}; ${to} are expected` });
  for (; content.done !== true; content = contents.next()) {
    findings.push({ seq: Math.floor(content.value.id / contentSlots), chain: null, n: null, reason: 'content is stored that belongs to no entry' });
  }
  db.close();
  return { entries: expected - from, contents: contentCount, findings, tileRoots: Buffer.concat(roots), tail: leaves.width === 0 ? new Uint8Array() : leaves.bytes() };
}

if (parentPort !== null) {
  const port = parentPort;
  port.postMessage({ report: auditRange(workerData as AuditRange, (done) => port.postMessage({ done })) });
}
