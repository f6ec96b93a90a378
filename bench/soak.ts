/**
 * Whether a server under load grows: a mix of reads, pages, searches, calls and new articles at a steady pace, and
 * its resident memory read every few seconds. `--minutes 60` gives the figure that is asked for; shorter runs only say
 * where it is heading. What comes before the warm-up's end is not counted: caches fill up to their bounds.
 */
import { Agent } from 'node:http';
import { ask, draws } from './ask.ts';
import { startColophon, type Colophon } from './processes.ts';
import { alone, median, versus, type Row, type Settings } from './row.ts';

const articles = 200;
const askers = 8;
/** Requests a second, all askers together: a tenth of what the machine of the figures could answer. */
const pace = 300;
const sampleMs = 5000;
const warmUpShare = 0.25;
/** Shorter runs are reported and not judged. */
const judgedMinutes = 30;
const lookMinutes = 2;

interface Sample {
  readonly hours: number;
  readonly mb: number;
}

export async function run(settings: Settings): Promise<Row[]> {
  const minutes = settings.minutes ?? lookMinutes;
  const colophon = await startColophon();
  try {
    const agent = new Agent({ keepAlive: true, maxSockets: askers });
    for (let i = 0; i < articles; i++)
      await ask(colophon, agent, 'POST', '/api/protocol/voxel-batch', { document: document(slugOf(i)) });
    const samples: Sample[] = [];
    const started = performance.now();
    const sampling = setInterval(() => {
      const hours = (performance.now() - started) / 3_600_000;
      samples.push({ hours, mb: colophon.residentBytes() / 2 ** 20 });
      if (samples.length % 60 === 0)
        settings.say(`${Math.round(hours * 60)} minutes, ${Math.round(samples.at(-1)?.mb ?? NaN)} MB`);
    }, sampleMs);
    const calls = await load(colophon, agent, minutes * 60);
    clearInterval(sampling);
    agent.destroy();
    return rowsOf(samples.slice(Math.floor(samples.length * warmUpShare)), calls, minutes);
  } finally {
    await colophon.stop();
  }
}

function rowsOf(samples: readonly Sample[], calls: number, minutes: number): Row[] {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const middle = (some: readonly Sample[]): number => median(some.map(({ mb }) => mb));
  const judged = minutes >= judgedMinutes;
  const name = `resident memory, ${minutes} minutes of load, ${calls.toLocaleString('en-US')} requests`;
  return [
    versus(
      `${name}, last tenth`,
      middle(samples.slice(-tenth)),
      'MB',
      'first tenth after warm-up',
      middle(samples.slice(0, tenth)),
      judged ? '<= 1.05' : '',
    ),
    alone(`${name}, slope`, slope(samples), 'MB/h', ''),
  ];
}

/** Median of the slopes between all pairs (Theil and Sen): a collection that is due or just over moves it little. */
function slope(samples: readonly Sample[]): number {
  const slopes: number[] = [];
  for (const [i, from] of samples.entries())
    for (const to of samples.slice(i + 1)) slopes.push((to.mb - from.mb) / (to.hours - from.hours));
  return median(slopes);
}

/** Each asker starts its next request when its turn has come and the last one is answered. Returns how many there were. */
async function load(colophon: Colophon, agent: Agent, seconds: number): Promise<number> {
  const work = mix(colophon, agent);
  const started = performance.now();
  const end = started + seconds * 1000;
  const turnMs = (askers * 1000) / pace;
  let calls = 0;
  await Promise.all(
    Array.from({ length: askers }, async (_, asker) => {
      for (let turn = started + (asker * turnMs) / askers; turn < end; turn += turnMs) {
        const early = turn - performance.now();
        if (early > 0) await new Promise((due) => setTimeout(due, early));
        else if (performance.now() > end) break;
        await work(calls++);
      }
    }),
  );
  return calls;
}

/** Of a hundred requests: 35 articles as JSON, 25 pages, 10 searches, 5 lists, 20 calls, 4 feeds, 1 new article. */
function mix(colophon: Colophon, agent: Agent): (n: number) => Promise<unknown> {
  const draw = draws(articles);
  const share = draws(100);
  const get = (path: string): Promise<unknown> => ask(colophon, agent, 'GET', path);
  const call = (key: string, body: string): Promise<unknown> =>
    ask(colophon, agent, 'POST', '/api/dispatch', { key, body });
  return (n) => {
    const kind = share();
    const slug = slugOf(draw());
    if (kind < 35) return get(`/api/articles/${slug}`);
    if (kind < 60) return get(`/a/${slug}`);
    if (kind < 65) return get(`/search?q=kept+${n}`);
    if (kind < 70) return get(`/api/search?q=block+${draw()}`);
    if (kind < 75) return get('/api/articles?limit=50');
    if (kind < 95)
      return call('MIRROR_APPEND', `${slug}||question|ada|Who checked what is said here? Asked as ${n}.`);
    if (kind < 99) return call('MIRROR_FEED', `${slug}|20`);
    return ask(colophon, agent, 'POST', '/api/protocol/voxel-batch', { document: document(`later-${n}`) });
  };
}

function slugOf(i: number): string {
  return `soaked-${i}`;
}

function document(slug: string): {
  readonly slug: string;
  readonly title: string;
  readonly markdown: string;
} {
  const paragraphs = Array.from(
    { length: 12 },
    (_, i) => `Block ${i} of ${slug} is kept for as long as the load lasts.`,
  );
  return { slug, title: `Article ${slug}`, markdown: `# Article ${slug}\n\n${paragraphs.join('\n\n')}\n` };
}
