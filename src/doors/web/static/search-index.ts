/**
 * The search index of a static site: one script for the list of articles and one for each group of words, which the search
 * page loads when it needs them. An article in a list of a word is the distance to the one before it times four, plus the
 * best field that has the word, in base 36: ten thousand articles take some tens of megabytes while they are collected.
 */
import { fields, shardOf, termsOf, type Field } from './terms.ts';

export interface IndexedArticle {
  readonly file: string;
  readonly title: string;
  /** What the article holds, in a sentence. */
  readonly summary: string;
  readonly updated: string;
  readonly texts: Readonly<Record<Field, string>>;
}

interface Postings {
  last: number;
  text: string;
}

export class StaticSearchIndex {
  readonly #articles: (readonly [string, string, string, string])[] = [];
  readonly #postings = new Map<string, Postings>();

  add({ file, title, summary, updated, texts }: IndexedArticle): void {
    const number = this.#articles.push([file, title, summary, updated.slice(0, 10)]) - 1;
    const best = new Map<string, number>();
    for (const [rank, field] of fields.entries()) {
      const text = texts[field].replace(/\bhttps?:\/\/\S+/g, ' ');
      for (const term of termsOf(text)) best.set(term, rank);
    }
    for (const [term, rank] of best) {
      const known = this.#postings.get(term);
      const code = ((number - (known?.last ?? 0)) * fields.length + rank).toString(36);
      if (known === undefined) this.#postings.set(term, { last: number, text: code });
      else {
        known.last = number;
        known.text += `.${code}`;
      }
    }
  }

  /** The scripts, one at a time. */
  *files(): Generator<{ readonly file: string; readonly bytes: string }> {
    yield { file: 'search/articles.js', bytes: script('articles', this.#articles) };
    const shards = Map.groupBy(this.#postings.keys(), shardOf);
    const names = [...shards.keys()].sort();
    yield { file: 'search/shards.js', bytes: script('shards', names) };
    for (const name of names) {
      const terms = (shards.get(name) ?? []).sort();
      const listed = terms.map((term) => [term, this.#postings.get(term)?.text ?? '']);
      yield { file: `search/${name}.js`, bytes: script(name, listed) };
    }
  }
}

/** Data as a script, because pages that were opened as files may load scripts and nothing else. */
function script(name: string, data: unknown): string {
  return `colophonSearch(${JSON.stringify(name)}, ${JSON.stringify(data)});\n`;
}
