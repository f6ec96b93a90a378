/**
 * Whether a search index answers as it should (`rebuild --check`): documents that entries all along the log have
 * touched are asked for by their own words, and each must be proposed, with the counts that its text gives. What
 * the index has not followed yet is not asked for; an index far behind, or none, is not judged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TermCounts } from '../../domain/retrieval/bm25.ts';
import { indexedTerms } from '../../domain/retrieval/terms.ts';
import type { Candidate, SearchIndex } from '../../engine/search-index.ts';
import type { Reader } from '../../engine/store.ts';
import { documentAt, documentKey, touchedBy, wordsOf, type DocumentName } from '../reads/search-documents.ts';

export interface SearchDifference {
  /** Of the document. */
  readonly key: string;
  readonly wanted: Candidate;
  readonly answered: Candidate | null;
}

type Log = Pick<Reader, 'entries' | 'row'>;
type Index = Pick<SearchIndex, 'cursor' | 'find'>;

/** What is looked at of the log, and how many documents are asked for: of a small one all. */
const pagesMax = 64;
const pageEntries = 16;
const documentsMax = 512;
const lagMax = 5000;
/** Terms that a document is asked for by. */
const termsMax = 32;
/** A word that more documents hold proposes only some of them. */
const tellingMax = 2000;
/** Beside running nodes a document may change between reading and asking; then it is looked at again. */
const againMs = 1500;

/** `size` is the log's. */
export async function checkSearch(log: Log, index: Index, size: number): Promise<SearchDifference[]> {
  const followed = (await index.cursor()).size;
  if (followed === 0 || followed > size || size - followed > lagMax) return [];
  const names = await sample(log, followed, await touchedSince(log, followed, size));
  let wrong = await differences(log, index, names);
  if (wrong.length > 0) {
    await sleep(againMs);
    const doubted = new Set(wrong.map(({ key }) => key));
    wrong = await differences(
      log,
      index,
      names.filter((name) => doubted.has(documentKey(name))),
    );
  }
  return wrong;
}

async function touchedSince(log: Log, from: number, size: number): Promise<ReadonlySet<string>> {
  const touched = new Set<string>();
  for (let at = from; at < size; at += pageEntries)
    for (const entry of await log.entries(at, pageEntries))
      for (const name of touchedBy(entry)) touched.add(documentKey(name));
  return touched;
}

/** Documents from all along the log, each once. */
async function sample(log: Log, size: number, except: ReadonlySet<string>): Promise<DocumentName[]> {
  const names = new Map<string, DocumentName>();
  const step = Math.max(pageEntries, Math.ceil(size / pagesMax));
  const documentsOfPage = Math.ceil(documentsMax / Math.ceil(size / step));
  for (let at = 0; at < size; at += step) {
    let left = documentsOfPage;
    for (const name of (await log.entries(at, pageEntries)).flatMap(touchedBy)) {
      const key = documentKey(name);
      if (left === 0 || except.has(key) || names.has(key)) continue;
      names.set(key, name);
      left--;
    }
  }
  return [...names.values()];
}

async function differences(
  log: Log,
  index: Index,
  names: readonly DocumentName[],
): Promise<SearchDifference[]> {
  const wrong: SearchDifference[] = [];
  for (const name of names) {
    const document = await documentAt(log, name);
    const all = document === undefined ? [] : indexedTerms(wordsOf(document));
    if (document === undefined || all.length === 0) continue;
    const terms = [...new Set(all)].slice(0, termsMax);
    const { tenant } = document.article;
    const { frequencies, found } = await index.find({ tenant, kinds: [name.kind], terms });
    const known = frequencies.filter((frequency) => frequency > 0);
    if (Math.min(...known) > tellingMax) continue;
    const key = documentKey(name);
    const counts = new TermCounts(all);
    const wanted = { key, length: all.length, counts: terms.map((term) => counts.count(term)) };
    const answered = found.find((each) => each.key === key) ?? null;
    if (JSON.stringify(answered) !== JSON.stringify(wanted)) wrong.push({ key, wanted, answered });
  }
  return wrong;
}
