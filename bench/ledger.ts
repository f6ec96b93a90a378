/**
 * Bulk import through document mode beside a full markdown-it parse of the same bytes, and verification of the
 * ledger that it leaves beside one hash call for each of its entries and contents and nothing else.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import MarkdownIt from 'markdown-it';
import { unpack, type Packed } from '../src/store/sqlite/packed-contents.ts';
import { root, startColophon, temporaryFolder, type Colophon } from './processes.ts';
import { median, versus, type Row, type Settings } from './row.ts';

/** Requests under way at once. */
const importers = 8;

export async function run(settings: Settings): Promise<Row[]> {
  const documents = corpus();
  const bytes = documents.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const folder = temporaryFolder();
  const rows: Row[] = [];
  try {
    const colophon = await startColophon({ folder });
    const rates: number[] = [];
    const peerRates: number[] = [];
    const cpu: number[] = [];
    const peerCpu: number[] = [];
    const entriesWanted = settings.quick ? 20_000 : 200_000;
    for (let round = 0; round < 3 || entriesIn(folder) < entriesWanted; round++) {
      settings.say(`import, round ${round + 1}`);
      const before = colophon.cpuMs();
      rates.push(bytes / (await importAll(colophon, documents)));
      cpu.push(colophon.cpuMs() - before);
      if (round >= 5) continue;
      const peerBefore = process.cpuUsage();
      peerRates.push(bytes / parseAll(documents));
      const { user, system } = process.cpuUsage(peerBefore);
      peerCpu.push((user + system) / 1000);
    }
    rows.push(
      versus(
        'bulk import of Markdown',
        median(rates) / 1e6,
        'MB/s',
        'markdown-it, full parse',
        median(peerRates) / 1e6,
        '>= 0.36',
        { cpu: median(peerCpu) / median(cpu) },
      ),
    );
    await colophon.stop();
    rows.push(verification(folder, settings));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

/** Real documents: the supplied ones where they are, else the sample of the tests. */
function corpus(): string[] {
  const whole = join(root, '../shared/data/markdown');
  const files = globSync('**/*.md', { cwd: existsSync(whole) ? whole : join(root, 'test/data/markdown') });
  return files.map((file) =>
    readFileSync(join(existsSync(whole) ? whole : join(root, 'test/data/markdown'), file), 'utf8'),
  );
}

/** Seconds until every document has been answered, which is after its commit. */
async function importAll(colophon: Colophon, documents: readonly string[]): Promise<number> {
  const waiting = [...documents];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: importers }, async () => {
      for (let markdown = waiting.pop(); markdown !== undefined; markdown = waiting.pop()) {
        await colophon.owner('/api/protocol/voxel-batch', { document: { markdown, title: 'Imported' } });
      }
    }),
  );
  return (performance.now() - started) / 1000;
}

function parseAll(documents: readonly string[]): number {
  const parser = new MarkdownIt({ html: true, linkify: true });
  const started = performance.now();
  for (const markdown of documents) parser.parse(markdown, {});
  return (performance.now() - started) / 1000;
}

function entriesIn(folder: string): number {
  const db = new DatabaseSync(join(folder, 'colophon.db'), { readOnly: true });
  const last = (db.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? 0;
  db.close();
  return last;
}

function verification(folder: string, settings: Settings): Row {
  const ours: number[] = [];
  const peers: number[] = [];
  const entries = entriesIn(folder);
  for (let round = 0; round < (settings.quick ? 2 : 5); round++) {
    settings.say(`verification of ${entries} entries, round ${round + 1}`);
    const started = performance.now();
    const said = execFileSync(
      process.execPath,
      [join(root, 'bin/colophon.js'), 'verify', '--ledger-only', '--json'],
      {
        env: { ...process.env, COLOPHON_DATA: folder },
        encoding: 'utf8',
      },
    );
    ours.push((performance.now() - started) / 1000);
    if (!(JSON.parse(said) as { readonly ok: boolean }).ok) throw new Error('the ledger is not sound');
    peers.push(hashAll(folder));
  }
  return versus(
    `full verification, ${entries} entries`,
    median(ours),
    's',
    'one hash call each',
    median(peers),
    '<= 3',
  );
}

/** Seconds for the hash calls alone; reading is not counted. */
function hashAll(folder: string): number {
  const db = new DatabaseSync(join(folder, 'colophon.db'), { readOnly: true });
  let seconds = 0;
  let page: string[] = [];
  const flush = (): void => {
    const started = performance.now();
    for (const text of page) hash('sha256', text, 'hex');
    seconds += (performance.now() - started) / 1000;
    page = [];
  };
  for (const row of db.prepare('SELECT text, fields, packed FROM entry').iterate()) {
    const { text, fields, packed } = row as unknown as Packed & { readonly text: string };
    page.push(text);
    for (const { body } of (fields === null ? undefined : unpack(fields, packed)) ?? [])
      if (body !== null) page.push(body);
    if (page.length > 5000) flush();
  }
  flush();
  db.close();
  return seconds;
}
