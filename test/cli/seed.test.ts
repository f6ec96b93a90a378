/** The starter articles of an empty ledger, as `colophon serve` writes them. */
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/process-server.ts';

async function started(
  limits: string,
  said: string,
): Promise<{ readonly output: string; readonly answers: number }> {
  const server = await startServer({ seeds: true, env: { COLOPHON_LIMITS: limits } });
  try {
    while (!server.output().includes(said)) await new Promise((later) => setTimeout(later, 20));
    const { status } = await fetch(`${server.base}/api/articles`);
    return { output: server.output(), answers: status };
  } finally {
    await server.stop();
  }
}

describe('a first start', () => {
  it('goes on where the limits in force refuse one, and says which and why', async () => {
    const { output, answers } = await started('article_bytes=1500', 'stopped');
    expect([output.includes('Seeded 0 starter articles.\n'), answers]).toEqual([true, 200]);
    expect(output).toMatch(
      /colophon: seeding stopped at what-the-ledger-is, voxel-batch: The document has \d+ bytes; an article has at most 1500\.\n/,
    );
  });
});
