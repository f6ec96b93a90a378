/**
 * What the first load of an article of 100 blocks and 100 claims costs a reader: requests and compressed bytes of the
 * page, its style, its script and its icon; and then of verifying it in the browser, which begins when the reader asks
 * for it or reaches the end. A starter article is short enough to be verified at once.
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
    await hundredClaims(colophon);
    const long = await loadsOf(colophon, slug);
    const short = await loadsOf(colophon, 'receipts-and-proofs');
    return [
      alone('article of 100 blocks and claims, first load', long.first.bytes / 1024, 'KiB', '<= 60'),
      alone('the same, verified', (long.first.bytes + long.verifying.bytes) / 1024, 'KiB', ''),
      alone('the same, verified', long.first.requests + long.verifying.requests, 'requests', '<= 8'),
      alone(
        'starter article, verified at once',
        (short.first.bytes + short.verifying.bytes) / 1024,
        'KiB',
        '<= 60',
      ),
    ];
  } finally {
    await colophon.stop();
  }
}

async function loadsOf(
  colophon: Colophon,
  of: string,
): Promise<{ readonly first: Load; readonly verifying: Load }> {
  const page = await received(colophon, `/a/${of}`);
  const assets = [...page.text.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, at = '']) => at);
  const verifier = (assets.find((each) => each.endsWith('/site.js')) ?? '').replace('site.js', 'verify.js');
  return {
    first: await total(colophon, [`/a/${of}`, ...new Set(assets)]),
    verifying: await total(colophon, [verifier, '/.well-known/colophon-key', `/api/articles/${of}/bundle`]),
  };
}

/** Ten a section, each with a sentence and a source. */
async function hundredClaims(colophon: Colophon): Promise<void> {
  await colophon.owner('/api/protocol/sources', {
    slug,
    sources: Array.from({ length: 10 }, (_, i) => ({
      type: 'review',
      url: `https://example.org/p/${i}`,
      title: `Study ${words(i, 3)}`,
      quote: `The measure ${words(i + 500, 14)} holds.`,
      summary: `Of ${words(i + 900, 5)}.`,
      accessed_at: '2026-01-02',
    })),
  });
  for (let i = 0; i < 100; i++)
    await colophon.owner('/api/protocol/claim', {
      slug,
      text: `Measure ${words(i + 2000, 9)} holds in case ${i}.`,
      tier: 'mechanistic',
      who_claims: 'a reviewer',
      source_ids: [`s${(i % 10) + 1}`],
      why_material: 'It matters.',
      section: `Part ${(i % 10) + 1}`,
      distinct: true,
      rationale: 'Each is of its own.',
    });
}

/** Ten sections of a heading and nine paragraphs, each paragraph with words of its own. */
function hundredBlocks(): string {
  const blocks = Array.from({ length: 99 }, (_, i) =>
    i % 10 === 0 ? `## Part ${i / 10 + 1}` : `Block ${i} of the text. ${sentence} ${words(i)}. ${sentence}`,
  );
  return `# A hundred blocks\n\n${blocks.join('\n\n')}\n`;
}

/** Numbers in words that differ from block to block, so that compression finds no more than in a text. */
function words(seed: number, count = 40): string {
  return Array.from({ length: count }, (_, i) => ((seed * 7919 + i * 104_729) % 46_649).toString(36)).join(
    ' ',
  );
}

async function total(colophon: Colophon, paths: readonly string[]): Promise<Load> {
  const each = await Promise.all(paths.map((path) => received(colophon, path)));
  return { requests: each.length, bytes: each.reduce((sum, { bytes }) => sum + bytes, 0) };
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
