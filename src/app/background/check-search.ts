/**
 * Checks a search index (`rebuild --check`): documents from all over the log are searched by their own words, and
 * each must be found with the right counts. Documents that the index has not reached are skipped; an index far
 * behind, or a missing one, is not judged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TermCounts } from '../../domain/retrieval/bm25.ts';
import { indexedTerms } from '../../domain/retrieval/terms.ts';
import type { Candidate, SearchIndex } from '../../engine/search-index.ts';
import type { Reader } from '../../engine/store.ts';
import { documentAt, documentKey, type DocumentName, touchedBy, wordsOf } from '../reads/search-documents.ts';

export interface SearchDifference {
  /** Of the document. */
  readonly key: string;
  readonly wanted: Candidate;
  readonly answered: Candidate | null;
}

type Log = Pick<Reader, 'entries' | 'row'>;
type Index = Pick<SearchIndex, 'cursor' | 'find'>;

/** How much of the log is read, and how many documents are searched; all of a small log. */
const pagesMax = 64;
const pageEntries = 16;
const documentsMax = 512;
const lagMax = 5000;
/** Terms of a search. */
const termsMax = 32;
/** A word in more documents is too frequent for an exact result. */
const tellingMax = 2000;
/** Running nodes may change a document between read and search; then it is checked again. */
const againMs = 1500;

/** `size` is the log's. */
export async function checkSearch(log: Log, index: Index, size: number): Promise<SearchDifference[]> {
  const indexedSize = (await index.cursor()).size;
  if (indexedSize === 0 || indexedSize > size || size - indexedSize > lagMax) return [];
  const names = await sample(log, indexedSize, await touchedSince(log, indexedSize, size));
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

/** Documents from all over the log, each once. */
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
