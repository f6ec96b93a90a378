/** The search of a static site: articles with all of the words, the last of which may be unfinished, best first. */
import { fields, shardOf, termsOf } from '../../src/doors/web/static/terms.ts';
import { loadScript } from './loading.ts';

type Articles = readonly (readonly [file: string, title: string, summary: string, updated: string])[];
type Listed = readonly (readonly [term: string, postings: string])[];

/** What a word is worth by where it stands, in the order of `fields`. */
const worth = [1, 3, 4, 8];
const hitsMax = 50;

const data = new Map<string, unknown>();

export function searchHere(box: HTMLElement): void {
  const field = box.querySelector('input');
  const list = document.getElementById('hits');
  const count = document.getElementById('search-count');
  if (field === null || list === null || count === null) return;
  globalThis.colophonSearch = (name: string, loaded: never) => void data.set(name, loaded);
  box.hidden = false;
  let asked = 0;
  const run = async (): Promise<void> => {
    const turn = ++asked;
    const text = field.value.trim();
    history.replaceState(null, '', text === '' ? '#' : `#${encodeURIComponent(text)}`);
    const found = await find(text).catch((error: unknown) =>
      String(error instanceof Error ? error.message : error),
    );
    if (turn !== asked) return;
    if (typeof found === 'string') {
      count.textContent = `The search could not be done: ${found}.`;
      return;
    }
    list.replaceChildren(...found.slice(0, hitsMax).map(hitOf));
    count.textContent =
      text === ''
        ? ''
        : found.length === 0
          ? 'No article has all of these words.'
          : `${found.length.toLocaleString('en-GB')} ${found.length === 1 ? 'article' : 'articles'}${found.length > hitsMax ? `, the best ${hitsMax} of them` : ''}`;
  };
  field.addEventListener('input', () => void run());
  field.value = decodeURIComponent(location.hash.slice(1));
  if (field.value !== '') void run();
  field.focus();
}

async function find(text: string): Promise<Articles> {
  const terms = [...new Set(termsOf(text))];
  if (terms.length === 0) return [];
  await Promise.all(['articles', 'shards'].map((name) => loadScript(`search/${name}.js`)));
  const shards = new Set(data.get('shards') as readonly string[]);
  const articles = data.get('articles') as Articles;
  const scores = await Promise.all(
    terms.map((term, i) => scoresOf(term, i === terms.length - 1, shards, articles.length)),
  );
  const [first, ...others] = scores;
  const found = [...(first ?? [])]
    .filter(([number]) => others.every((each) => each.has(number)))
    .map(([number, score]) => ({
      number,
      score: others.reduce((sum, each) => sum + (each.get(number) ?? 0), score),
    }));
  found.sort((a, b) => b.score - a.score || a.number - b.number);
  return found.flatMap(({ number }) => {
    const article = articles[number];
    return article === undefined ? [] : [article];
  });
}

/** Articles by number with what the word is worth in each; rare words are worth more. */
async function scoresOf(
  term: string,
  isPrefix: boolean,
  shards: ReadonlySet<string>,
  of: number,
): Promise<ReadonlyMap<number, number>> {
  const own = shardOf(term);
  // A single letter begins the words of many groups.
  const names = isPrefix && own.endsWith('_') ? [...shards].filter((name) => name.startsWith(term)) : [own];
  const wanted = names.filter((name) => shards.has(name));
  await Promise.all(wanted.map((name) => loadScript(`search/${name}.js`)));
  const scores = new Map<number, number>();
  for (const name of wanted)
    for (const [each, postings] of data.get(name) as Listed) {
      if (each !== term && !(isPrefix && each.startsWith(term))) continue;
      const codes = postings.split('.');
      const rarity = Math.log(1 + of / codes.length) * (each === term ? 1 : 0.6);
      let number = 0;
      for (const code of codes) {
        const value = Number.parseInt(code, 36);
        number += Math.floor(value / fields.length);
        const score = rarity * (worth[value % fields.length] ?? 1);
        scores.set(number, Math.max(score, scores.get(number) ?? 0));
      }
    }
  return scores;
}

function hitOf([file, title, summary, updated]: Articles[number]): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = file;
  link.dir = 'auto';
  link.textContent = title;
  const about = document.createElement('p');
  about.dir = 'auto';
  about.textContent = summary;
  const note = document.createElement('span');
  note.className = 'note';
  note.textContent = updated;
  item.append(link, ' ', note, about);
  return item;
}
