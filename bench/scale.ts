/**
 * What size costs: the same reads and writes, on a hundred articles drawn at random, in a ledger of 1,000 entries and
 * in one of 100,000 articles and a million entries, how long each takes to be ready, and what it holds in memory.
 * Reads of articles that nobody read before stand beside them: what a cache saves is not what size costs. The large
 * ledger is made through the front door; `COLOPHON_BENCH_LEDGER` names a folder that keeps it between runs.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { ask, draws } from './ask.ts';
import { startColophon, temporaryFolder, type Colophon } from './processes.ts';
import { alone, median, versus, type Row, type Settings } from './row.ts';

const small = { articles: 100 };
const large = { articles: 100_000 };
const quick = { articles: 3_000 };
/** Requests under way at once while a ledger is made, and while it is measured. */
const makers = 32;
const askers = 4;

interface Timed {
  readonly p50: number;
  readonly p99: number;
}
interface Size {
  readonly entries: number;
  readonly readyMs: number;
  readonly idleMb: number;
  readonly jobs: Readonly<Record<string, Timed>>;
}

export async function run(settings: Settings): Promise<Row[]> {
  const wanted = settings.full ? large : quick;
  const few = await measured(small.articles, settings);
  const many = await measured(wanted.articles, settings);
  const at = `${wanted.articles.toLocaleString('en-US')} articles, ${many.entries.toLocaleString('en-US')} entries`;
  const rows = Object.entries(many.jobs).flatMap(([name, timed]) => {
    const before = few.jobs[name] as Timed;
    return [
      versus(`${name}, ${at}`, timed.p50, 'ms', `${few.entries} entries`, before.p50, reachOf(name)),
      alone(`${name}, p99`, timed.p99, 'ms', ''),
    ];
  });
  rows.push(
    alone(`start to ready, ${at}`, many.readyMs, 'ms', '<= 1000'),
    alone(`start to ready, ${few.entries} entries`, few.readyMs, 'ms', ''),
    alone(`resident memory after a start, ${at}`, many.idleMb, 'MB', '<= 150'),
  );
  return rows;
}

/** A small ledger has hardly an article that nobody read, and a search in it hardly a hit. */
function reachOf(name: string): string {
  return name.includes('not read before') || name === 'search' ? '' : '<= 1.25';
}

async function measured(articles: number, settings: Settings): Promise<Size> {
  const kept = process.env['COLOPHON_BENCH_LEDGER'];
  const folder = kept === undefined ? temporaryFolder() : join(kept, String(articles));
  try {
    if (!existsSync(join(folder, 'made.json'))) await makeLedger(folder, articles, settings);
    const { entries } = JSON.parse(readFileSync(join(folder, 'made.json'), 'utf8')) as { entries: number };
    settings.say(`measuring at ${articles} articles`);
    const starts: number[] = [];
    const idle: number[] = [];
    for (let round = 0; round < 3; round++) {
      const colophon = await startColophon({ folder });
      starts.push(colophon.readyMs);
      await new Promise((done) => setTimeout(done, 2000));
      idle.push(colophon.residentBytes() / 2 ** 20);
      await colophon.stop();
    }
    const colophon = await startColophon({ folder });
    try {
      return { entries, readyMs: median(starts), idleMb: median(idle), jobs: await jobs(colophon, articles) };
    } finally {
      await colophon.stop();
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Ten entries an article: four DIVs in two each, the article's own, and the call's. */
export async function makeLedger(
  folder: string,
  articles: number,
  settings: Settings,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const colophon = await startColophon({ folder, env });
  const agent = new Agent({ keepAlive: true, maxSockets: makers });
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: makers }, async () => {
      for (let i = next++; i < articles; i = next++) {
        const text = (part: string): string =>
          `${part} of article ${i}: what stands in block ${(i * 7919) % 10_007} is said nowhere else.`;
        const markdown = `# Article ${i}\n\n${['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh'].map(text).join('\n\n')}\n`;
        await ask(colophon, agent, 'POST', '/api/protocol/voxel-batch', {
          document: { slug: slugOf(i), title: `Article ${i}`, markdown },
        });
        if (i % 10_000 === 9_999)
          settings.say(`${i + 1} articles after ${Math.round((performance.now() - started) / 1000)} s`);
      }
    }),
  );
  agent.destroy();
  const note = await (await fetch(`${colophon.url}/checkpoint`)).text();
  await colophon.stop();
  writeFileSync(join(folder, 'made.json'), JSON.stringify({ entries: Number(note.split('\n')[1]) }));
}

export function slugOf(i: number): string {
  return `article-${i}`;
}

async function jobs(colophon: Colophon, articles: number): Promise<Record<string, Timed>> {
  const agent = new Agent({ keepAlive: true, maxSockets: askers });
  const draw = draws(small.articles);
  const stride = Math.floor(articles / small.articles);
  /** The hundred are spread over the whole ledger. */
  const any = (): number => draw() * stride;
  let cold = 0;
  const unread = (): number => (any() + 1 + (cold++ % Math.max(1, stride - 1))) % articles;
  let n = 0;
  const all: Record<string, () => Promise<unknown>> = {
    'article JSON': () => ask(colophon, agent, 'GET', `/api/articles/${slugOf(any())}`),
    'article page': () => ask(colophon, agent, 'GET', `/a/${slugOf(any())}`),
    'article JSON, not read before': () => ask(colophon, agent, 'GET', `/api/articles/${slugOf(unread())}`),
    'list of articles': () => ask(colophon, agent, 'GET', '/api/articles?limit=50'),
    search: () => ask(colophon, agent, 'GET', `/api/search?q=block+${any()}`),
    'append, MIRROR_APPEND': () =>
      ask(colophon, agent, 'POST', '/api/dispatch', {
        key: 'MIRROR_APPEND',
        body: `${slugOf(any())}||question|ada|Who has checked what is said here, and when was it? Asked as ${Date.now()} ${n++}.`,
      }),
    'inclusion proof of a receipt': async () => {
      await ask(colophon, agent, 'GET', `/api/dispatch?confirm=${receipts[n++ % receipts.length]}`);
    },
  };
  const receipts: string[] = [];
  for (let i = 0; i < 20; i++) {
    const answer = (await (all['append, MIRROR_APPEND'] as () => Promise<unknown>)()) as {
      readonly invocation: { readonly id: string };
    };
    receipts.push(answer.invocation.id);
  }
  const timed: Record<string, Timed> = {};
  for (const [name, job] of Object.entries(all)) {
    const warmed = name.includes('not read before') ? 0 : 500;
    for (let i = 0; i < warmed; i++) await job();
    timed[name] = await time(job, 3000);
  }
  agent.destroy();
  return timed;
}

async function time(job: () => Promise<unknown>, calls: number): Promise<Timed> {
  const took: number[] = [];
  let left = calls;
  await Promise.all(
    Array.from({ length: askers }, async () => {
      while (left-- > 0) {
        const started = performance.now();
        await job();
        took.push(performance.now() - started);
      }
    }),
  );
  took.sort((a, b) => a - b);
  return { p50: took[took.length >> 1] as number, p99: took[Math.floor(took.length * 0.99)] as number };
}
