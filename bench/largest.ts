/**
 * The largest article that the limits allow (10,000 DIVs, 2 MiB): four readers at once of each of its forms, after a
 * change that lets none be warm, and the worst that anybody else waits meanwhile. And what a refused MiB of JSON costs.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startColophon, type Colophon } from './processes.ts';
import { alone, median, type Row, type Settings } from './row.ts';
import type { Job } from './load-process.ts';

const slug = 'largest';
const read = promisify(execFile);
const forms: readonly (readonly [name: string, path: string])[] = [
  ['article', `/api/articles/${slug}`],
  ['bundle', `/api/articles/${slug}/bundle`],
  ['voxels', `/api/articles/${slug}/voxels`],
  ['page', `/a/${slug}`],
];

export async function run(settings: Settings): Promise<Row[]> {
  const colophon = await startColophon();
  try {
    await colophon.owner('/api/protocol/voxel-batch', {
      document: { slug, title: 'Largest', markdown: largestBody() },
    });
    const rows: Row[] = [];
    for (const [name, path] of forms) {
      const worst: number[] = [];
      for (let round = 0; round < (settings.quick ? 1 : 5); round++) {
        const body = `${slug}||question|ada|Was the ${name} made anew in round ${round}?`;
        await colophon.owner('/api/dispatch', { key: 'MIRROR_APPEND', body });
        worst.push(await worstBeside(colophon, path));
      }
      rows.push(
        alone(`largest article, ${name}, four readers: worst /healthz`, median(worst), 'ms', '<= 100'),
      );
    }
    for (const [name, body] of refused()) {
      const took: number[] = [];
      for (let round = 0; round < (settings.quick ? 3 : 9); round++)
        took.push(await refusedMs(colophon, body));
      rows.push(alone(`1 MiB of JSON refused: ${name}`, median(took), 'ms', '<= 50'));
    }
    return rows;
  } finally {
    await colophon.stop();
  }
}

/** 10,000 blocks of together just below 2 MiB. */
function largestBody(): string {
  const words = 'Words of a paragraph, as many as let ten thousand of them have two mebibytes. '
    .repeat(3)
    .slice(0, 195);
  return Array.from({ length: 10_000 }, (_, i) =>
    i % 50 === 0 ? `## Section ${i}\n` : `P${i} ${words}\n`,
  ).join('\n');
}

/** Milliseconds that /healthz took at worst while four others, in a process of their own, read once each or more. */
async function worstBeside({ port, url }: Colophon, path: string): Promise<number> {
  const job: Job = {
    port,
    connections: 4,
    seconds: 0.1,
    method: 'GET',
    path,
    headers: {},
    body: '',
    status: 200,
  };
  const reading = read(process.execPath, [join(import.meta.dirname, 'load-process.ts'), JSON.stringify(job)]);
  const ended = reading.then(() => 'ended' as const);
  let worst = 0;
  for (let isRead = false; !isRead;) {
    const begun = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    worst = Math.max(worst, performance.now() - begun);
    isRead = (await Promise.race([ended, later(2)])) === 'ended';
  }
  return worst;
}

function refused(): readonly (readonly [name: string, body: string])[] {
  const bytes = 1_048_576 - 200;
  const call = (body: unknown): string => JSON.stringify({ key: 'MIRROR_APPEND', body });
  return [
    ['empty objects', `[${'{},'.repeat(bytes / 3)}{}]`],
    ['one text', call('x'.repeat(bytes))],
    ['199,000 numbers', call({ x: Array.from({ length: 199_000 }, () => 10_000) })],
    ['50,000 members', call(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`name ${i}`, 1])))],
  ];
}

async function refusedMs({ url }: Colophon, body: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${url}/api/dispatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.arrayBuffer();
  if (answer.status !== 413) throw new Error(`a body that is too large was answered with ${answer.status}`);
  return performance.now() - begun;
}
