/**
 * The whole call that posts a claim, to articles of 10, 1,000 and 10,000 claims that share halves with each other: CPU
 * of the server with its threads and with the search index that follows, which other work on the machine changes least.
 */
import { lintClaim } from '../src/domain/articles/claim-rules.ts';
import { manyClaims } from '../test/unit/similarity/pairs.ts';
import { startColophon, type Colophon } from './processes.ts';
import { alone, median, type Row, type Settings } from './row.ts';
import type { ClaimInput } from '../src/model/claim.ts';

const sizes = [10, 1000, 10_000];
const postsOfRound = 100;
/** What one batch takes. */
const operationsMax = 300;

interface Article {
  readonly slug: string;
  readonly size: number;
  readonly texts: readonly string[];
  posted: number;
  /** CPU milliseconds of a post, round by round. */
  readonly rounds: number[];
}

/** Rounds in which each article has its turn, so that drift of the machine meets all alike; the first warms up. */
export async function posts({ quick, say }: Settings): Promise<Row[]> {
  const texts = [...new Set(manyClaims(13_500))].filter(isAccepted);
  const articles = sizes.map((size): Article => ({
    slug: `claims-${size}`,
    size,
    texts,
    posted: 0,
    rounds: [],
  }));
  const colophon = await startColophon();
  try {
    for (const article of articles) {
      say(`an article of ${article.size} claims`);
      await fill(colophon, article);
    }
    while (Number((await (await fetch(`${colophon.url}/api/search?q=cells`)).json())['behind']) > 0);
    for (let round = 0; round <= (quick ? 1 : 7); round++)
      for (const article of articles) await post(colophon, article);
    return articles.map(({ size, rounds }) =>
      alone(
        `posting a claim to an article of ${size.toLocaleString('en')}, CPU`,
        median(rounds.slice(1)),
        'ms',
        '',
      ),
    );
  } finally {
    await colophon.stop();
  }
}

async function fill(colophon: Colophon, article: Article): Promise<void> {
  const { slug, size } = article;
  await colophon.owner('/api/protocol/voxel-batch', { document: { slug, markdown: `# ${slug}\n\nText.\n` } });
  while (article.posted < size) {
    const operations = Array.from({ length: Math.min(operationsMax, size - article.posted) }, () => ({
      op: 'claim',
      ...next(article),
    }));
    await colophon.owner('/api/protocol/voxel-batch', { slug, operations });
  }
}

async function post(colophon: Colophon, article: Article): Promise<void> {
  const before = colophon.cpuMs();
  for (let n = 0; n < postsOfRound; n++)
    await colophon.owner('/api/protocol/claim', { slug: article.slug, ...next(article) });
  article.rounds.push((colophon.cpuMs() - before) / postsOfRound);
}

function next(article: Article): ClaimInput {
  return claimOf(article.texts[article.posted++] as string);
}

/** Posted whatever it is like. */
function claimOf(text: string): ClaimInput {
  const said = { who_claims: 'a paper', why_material: 'It is measured.', rationale: 'Measured.' };
  return { text, tier: 'human', ...said, distinct: true };
}

function isAccepted(text: string): boolean {
  return lintClaim(claimOf(text), undefined).every(({ severity }) => severity !== 'error');
}
