/**
 * What durability alone costs: a bare Fastify route that inserts two rows (the body, and a hash of it as a random key)
 * and answers when they are on disk, with the commits of all who wait shared. No gates, no chains, no log, no proof.
 */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
const db = new DatabaseSync(join(folder, 'peer.db'));
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;
  CREATE TABLE entry (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE chain (id TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;`);
const entry = db.prepare('INSERT INTO entry (text) VALUES (?)');
const chain = db.prepare('INSERT INTO chain (id, seq) VALUES (?, ?)');

interface Waiting {
  readonly text: string;
  done(seq: number): void;
}

let waiting: Waiting[] = [];

function commit(): void {
  const batch = waiting;
  waiting = [];
  db.exec('BEGIN IMMEDIATE');
  const seqs = batch.map(({ text }) => {
    const seq = Number(entry.run(text).lastInsertRowid);
    chain.run(hash('sha256', `${seq}${text}`), seq);
    return seq;
  });
  db.exec('COMMIT');
  batch.forEach(({ done }, i) => done(seqs[i] as number));
}

const app = Fastify();
app.get('/healthz', async () => ({ ok: true }));
app.post('/inserted', async (request) => {
  const text = JSON.stringify(request.body);
  const seq = await new Promise<number>((done) => {
    if (waiting.push({ text, done }) === 1) setImmediate(commit);
  });
  return { seq };
});
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.once('SIGTERM', () => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
