/**
 * What the first load of an article of 100 blocks costs a reader: requests and compressed bytes of the page, its
 * style, its scripts and its icon; and then of verifying it in the browser.
 */
import { request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { startColophon, type Colophon } from './processes.ts';
import { alone, type Row } from './row.ts';

const slug = 'hundred';
const sentence =
  'The ledger keeps each claim with its source, and a receipt that every reader verifies without trust in this site.';

interface Load {
  readonly requests: number;
  readonly bytes: number;
}

export async function run(): Promise<Row[]> {
  const colophon = await startColophon();
  try {
    await colophon.owner('/api/protocol/voxel-batch', {
      document: { slug, title: 'A hundred blocks', markdown: hundredBlocks() },
    });
    const page = await received(colophon, `/a/${slug}`);
    const assets = [...page.text.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, at = '']) => at);
    const first = await total(colophon, [`/a/${slug}`, ...new Set(assets)]);
    const verifying = await total(colophon, [
      '/.well-known/colophon-key',
      ...['', '/voxels?include_inactive=1', '/discourse'].map((part) => `/api/articles/${slug}${part}`),
    ]);
    return [
      alone('article of 100 blocks, first load', first.bytes / 1024, 'KiB', '<= 60'),
      alone('article of 100 blocks, first load', first.requests, 'requests', '<= 8'),
      alone('the same, verifying it', verifying.bytes / 1024, 'KiB', ''),
      alone('the same, verifying it', verifying.requests, 'requests', ''),
    ];
  } finally {
    await colophon.stop();
  }
}

/** Ten sections of a heading and nine paragraphs, each paragraph with words of its own. */
function hundredBlocks(): string {
  const blocks = Array.from({ length: 99 }, (_, i) =>
    i % 10 === 0 ? `## Part ${i / 10 + 1}` : `Block ${i} of the text. ${sentence} ${words(i)}. ${sentence}`,
  );
  return `# A hundred blocks\n\n${blocks.join('\n\n')}\n`;
}

/** Numbers in words that differ from block to block, so that compression finds no more than in a text. */
function words(seed: number): string {
  return Array.from({ length: 40 }, (_, i) => ((seed * 7919 + i * 104_729) % 46_649).toString(36)).join(' ');
}

async function total(colophon: Colophon, paths: readonly string[]): Promise<Load> {
  const loads = await Promise.all(paths.map((path) => received(colophon, path)));
  return { requests: loads.length, bytes: loads.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The body as it goes over the wire to a browser that takes Brotli. */
async function received(colophon: Colophon, path: string): Promise<{ bytes: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, colophon.url),
      { headers: { 'accept-encoding': 'br', accept: '*/*' } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          const isCompressed = answer.headers['content-encoding'] === 'br';
          resolve({
            bytes: body.length,
            text: (isCompressed ? brotliDecompressSync(body) : body).toString(),
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
