/**
 * Whole documents: chain lists, articles, bundles. Walks the document for evidence: entries (each chain must be complete),
 * texts with their hashes, an article's body with its DIVs, and proofs.
 */
import { checkArticle, checkTotals, kindOf, type DocumentKind } from './article.ts';
import { checkSameArticle, isScrubChain, findScrubs } from './same-article.ts';
import { checkChains, parseLink, type ChainOptions, type Link } from './chain.ts';
import { checkPlain } from './content.ts';
import { Coverage } from './coverage.ts';
import { checkDiv } from './divs.ts';
import { isEvidence, verifyEvidence } from './evidence.ts';
import { recordsIn } from './history.ts';
import { checkListedContents } from './listed-contents.ts';
import { checkLogInclusion } from './log-inclusion.ts';
import { checkOpenedContents } from './opened-contents.ts';
import { isRecord, parseDocument, type Json, type JsonRecord } from './json.ts';
import { lacksQuorum, trustOf, type Trust, type Trusted } from './policy.ts';
import { checkProven, isReceipt, verifyReceipt } from './receipt.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';
import { Scrubs, type Place } from './scrubs.ts';

/** A list as the API serves it: the array, or the object around it. `partial` for one page of several. */
export async function verifyChainList(list: Json, options: ChainOptions = {}): Promise<Report> {
  return withDocument(list, async (document) => {
    const coverage = new Coverage();
    const parts = gather(document, () => false);
    const links = ownLinks(parts);
    if (links.length > 0) {
      const checks: Check[] = [];
      for (const part of parts) {
        const { scrubs, covering } = evidenceIn(part, document, coverage);
        checks.push(
          ...(await checkChains(part.links, part.holder === 'document' ? options : {})),
          ...(await checkListedContents(part.listed, scrubs, covering, {
            isWhole: false,
            isSaid: part.holder === 'imported',
          })),
        );
      }
      return reportOf([...checks, ...checkClaimed(document, links, options)], coverage.uncovered(document));
    }
    const check = isEmptyList(document)
      ? passed('chain', 'the list is empty')
      : failed('chain', 'no entry is listed');
    return reportOf([check], coverage.uncovered(document));
  });
}

/**
 * A receipt, a bundle, an article, evidence against a log or any other document. Without a verifier key a bundle and evidence
 * are held against the key that they name themselves, and the report says so; any other proof counts as not verified.
 */
export async function verifyBundle(bundle: Json, trusted?: Trusted): Promise<Report> {
  return withDocument(bundle, (document) =>
    isEvidence(document)
      ? verifyEvidence(typeof bundle === 'string' ? bundle : document, trusted)
      : judge(document, trustOf(trusted)),
  );
}

async function judge(document: Json, trust: Trust): Promise<Report> {
  const kind = kindOf(document);
  const isOfOne = kind !== 'other' || (isRecord(document) && typeof document['slug'] === 'string');
  if (!isOfOne && isRecord(document) && isReceipt(document)) return verifyReceipt(document, trust);
  const coverage = new Coverage();
  const parts = gather(document, isDocument);
  const links = ownLinks(parts);
  const isWhole = kind === 'article' || (isRecord(document) && document['chains'] !== undefined);
  const checks: Check[] = [];
  for (const part of parts) {
    const { scrubs, covering } = evidenceIn(part, document, coverage);
    const { opened, listed, objects } = part;
    checks.push(
      ...(await checkChains(part.links)),
      ...(await checkOpenedContents(opened, listed, scrubs, covering, isWhole)),
      ...(await checkListedContents(listed, scrubs, covering, {
        isWhole,
        isSaid: part.holder === 'imported',
      })),
    );
    for (const { object, at } of objects)
      checks.push(...(await checkPlain(object, at)), ...(await checkDiv(object, at, scrubs)));
  }
  // A call that made an article is no part of it.
  const own = isOfOne ? links.filter(({ entry }) => String(entry['chain']).includes('.')) : links;
  const isAnswer = !isOfOne && links.length === 0;
  for (const { object, at } of parts[0].proofs)
    checks.push(...(await checkProofIn(object, { own, isAnswer }, trust, at, coverage)));
  const ofArticle = isRecord(document) ? await checkOfArticle(document, kind, parts[0], trust, coverage) : [];
  // A document that only holds others is judged by each of them.
  const holdsOthersOnly = kind === 'other' && links.length === 0 && parts[0].documents.length > 0;
  if (!holdsOthersOnly && ![...checks, ...ofArticle].some(({ id }) => id === 'quorum'))
    checks.push(...(await lacksQuorum(trust)));
  // Of a document with chains, every entry was found in the log.
  else if (trust.policy !== undefined && !(isRecord(document) && document['chains'] !== undefined))
    checks.push(...checkAllProven(own, parts[0].proofs));
  for (const { object, at } of parts[0].documents) {
    if (kind !== 'other') checks.push(failed('document', `another document stands in this ${kind}`, at));
    const { checks: found, uncovered = [] } = await judge(object, trust);
    for (const check of found) checks.push({ ...check, at: placeIn(at, check.at) });
    coverage.judged(object, at, uncovered);
  }
  // Joined and not pushed: a document may have more to say than a call takes arguments.
  const all = [
    ...checks,
    ...(isRecord(document) && isOfOne ? checkSameArticle(document, kind === 'article', links) : []),
    ...ofArticle,
    ...checkClaimed(document, links, {}),
  ];
  return reportOf(all, coverage.uncovered(document));
}

async function checkOfArticle(
  document: JsonRecord,
  kind: DocumentKind,
  own: Gathered,
  trust: Trust,
  coverage: Coverage,
): Promise<Check[]> {
  const { scrubs } = evidenceIn(own, document, coverage);
  return [
    ...(await checkArticle(document, kind, own.links, scrubs, coverage)),
    ...(await checkLogInclusion(document, trust, coverage)),
    ...checkTotals(document, kind, coverage),
  ];
}

/** For a policy: what no proof covers, no witness has seen. An entry stands for those before it in its chain. */
function checkAllProven(links: readonly Link[], proofs: Gathered['proofs']): Check[] {
  const proven = new Map<unknown, number>();
  for (const { entry, hash } of links)
    if (proofs.some(({ object }) => (object['proof'] as JsonRecord)['entry_hash'] === hash))
      proven.set(entry['chain'], Math.max(proven.get(entry['chain']) ?? 0, Number(entry['n'])));
  const unproven = links.find(({ entry }) => Number(entry['n']) > (proven.get(entry['chain']) ?? -1));
  if (unproven === undefined) return [];
  const { entry, at } = unproven;
  const where = `entry ${Number(entry['n'])} of chain ${String(entry['chain'])}`;
  return [failed('quorum', `no proof shows that ${where} was cosigned`, at)];
}

/** The proof of an entry that the document lists, or of the call that it answers; any other proves nothing else here. */
async function checkProofIn(
  holder: JsonRecord,
  { own, isAnswer }: { readonly own: readonly Link[]; readonly isAnswer: boolean },
  trust: Trust,
  at: string,
  coverage: Coverage,
): Promise<Check[]> {
  const { id, invocation, proof } = holder;
  const { entry, entry_hash: hash } = proof as JsonRecord;
  const { chain, n } = isRecord(entry) ? entry : {};
  const call = isRecord(invocation) ? invocation['id'] : id;
  const isOwn = isAnswer ? chain !== undefined && chain === call : own.some((link) => link.hash === hash);
  const checks = await checkProven(holder, undefined, trust, at, isOwn ? coverage : new Coverage());
  if (isOwn) return checks;
  const wrong = checks.filter(({ ok }) => !ok);
  const of = chain === undefined ? String(hash) : `${String(n)} of chain ${String(chain)}`;
  return wrong.length > 0
    ? wrong
    : [passed('proof', `the log has entry ${of}, which proves nothing here`, at)];
}

/** What may vouch for replacements in a part of the document, and what takes note of the members that are covered. */
function evidenceIn(
  { holder, opened }: Gathered,
  document: Json,
  coverage: Coverage,
): { readonly scrubs: Scrubs; readonly covering: Coverage } {
  const vouching =
    holder === 'document'
      ? findScrubs(document, opened)
      : opened.filter(({ object }) => isScrubChain((object['entry'] as JsonRecord)['chain']));
  // Nothing in the document commits to what it shows as said where the article was imported from.
  const areLogged = holder === 'document' && isRecord(document) && isRecord(document['chains']);
  return {
    scrubs: new Scrubs(vouching, areLogged),
    covering: holder === 'imported' ? new Coverage() : coverage,
  };
}

/** `document` as JSON text or parsed. */
async function withDocument(document: Json, check: (document: Json) => Promise<Report>): Promise<Report> {
  let value = document;
  try {
    if (typeof document === 'string') value = parseDocument(document);
  } catch (error) {
    return reportOf([failed('document', `the document is not JSON: ${(error as Error).message}`)]);
  }
  return check(value);
}

/** What the document shows itself, what one content of an entry holds, or what was said where it was imported from. */
interface Gathered {
  readonly holder: 'document' | 'content' | 'imported';
  readonly links: Link[];
  /** Every object that is not itself an entry. */
  readonly objects: Place[];
  /** Objects with a `proof` member. */
  readonly proofs: Place[];
  /** Objects that show an entry: with what opens its contents, and without. */
  readonly opened: Place[];
  readonly listed: Place[];
  /** Whole documents within this one, which are judged by themselves. */
  readonly documents: Place[];
}

type Parts = [document: Gathered, ...others: Gathered[]];

/** Each part is judged by itself: entries of one can neither complete nor replace those of another. */
function gather(document: Json, isApart: (value: JsonRecord) => boolean): Parts {
  const parts: Parts = [nothing('document')];
  walk(document, '', parts[0], parts, isApart);
  return parts;
}

/** A receipt, a bundle or an article, with its evidence. */
function isDocument(value: JsonRecord): boolean {
  const { chains, entries, provenance } = value;
  const hasEntry = (list: Json | undefined): boolean =>
    recordsIn(list).some((item) => parseLink(item, '') !== undefined);
  if (isReceipt(value)) return hasEntry(entries);
  if (kindOf(value) === 'other') return false;
  return hasEntry(provenance) || (isRecord(chains) && Object.values(chains).some(hasEntry));
}

function nothing(holder: Gathered['holder']): Gathered {
  return { holder, links: [], objects: [], proofs: [], opened: [], listed: [], documents: [] };
}

function ownLinks([{ links }]: Parts): readonly Link[] {
  return links;
}

function walk(
  value: Json,
  at: string,
  found: Gathered,
  parts: Parts,
  isApart: (value: JsonRecord) => boolean,
): void {
  const go = (member: Json, place: string, part: Gathered): void => walk(member, place, part, parts, isApart);
  if (Array.isArray(value))
    for (const [i, item] of (value as readonly Json[]).entries()) go(item, `${at}[${i}]`, found);
  if (!isRecord(value)) return;
  if (at !== '' && found.holder === 'document' && isApart(value)) {
    found.documents.push({ object: value, at });
    return;
  }
  const link = parseLink(value, at);
  if (link === undefined) found.objects.push({ object: value, at });
  else found.links.push(link);
  const { proof, contents } = value;
  const isListed = link !== undefined && value['entry'] === link.entry;
  if (isListed && isRecord(contents)) found.opened.push({ object: value, at });
  if (isListed && !(isRecord(contents) && value['content'] === undefined))
    found.listed.push({ object: value, at });
  const proven = isRecord(proof) && proof['entry_hash'] !== undefined;
  if (proven) found.proofs.push({ object: value, at: placeIn(at, 'proof') });
  for (const [key, member] of Object.entries(value)) {
    const place = placeIn(at, key);
    if ((key === 'entry' && isListed) || (key === 'proof' && proven)) continue;
    // What replaces the evidence of an import is no evidence: its plain hashes were replaced with their texts.
    if (key === 'replacement' && found.holder === 'content') continue;
    if (key === 'contents' && isListed && isRecord(contents)) {
      for (const [field, content] of Object.entries(contents))
        go(content, `${place}.${field}`, begin('content', parts));
    } else go(member, place, key === 'imported' ? begin('imported', parts) : found);
  }
}

function placeIn(at: string, name = ''): string {
  return [at, name].filter((part) => part !== '').join('.');
}

function begin(holder: Gathered['holder'], parts: Parts): Gathered {
  const part = nothing(holder);
  parts.push(part);
  return part;
}

function isEmptyList(document: Json): boolean {
  if (Array.isArray(document)) return document.length === 0;
  return (
    isRecord(document) &&
    Object.values(document).some((member) => Array.isArray(member) && member.length === 0)
  );
}

/**
 * The `verification` that the server gives with a list of one chain: the list must be as long as it says and
 * end where it says, or it was cut short.
 */
function checkClaimed(document: Json, links: readonly Link[], { partial }: ChainOptions): Check[] {
  const claimed = isRecord(document) ? document['verification'] : undefined;
  if (!isRecord(claimed)) return [];
  if (claimed['valid'] !== true) {
    return [failed('verification', `the server says that the chain is broken: ${String(claimed['reason'])}`)];
  }
  // Claims are listed without the entries that made them.
  if (links.length === 0 && isRecord(document) && Array.isArray(document['claims']))
    return document['claims'].length > 0 ? [] : [passed('verification', 'the list of claims is empty')];
  const single = new Set(links.map(({ entry }) => entry['chain'])).size <= 1;
  if (!single || partial === true || typeof claimed['head'] !== 'string' || claimed['chains'] !== undefined)
    return [];
  const head =
    links.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n'])).at(-1)?.hash ?? 'genesis';
  return head === claimed['head']
    ? [passed('verification', `the list ends where the server says, at ${claimed['head']}`)]
    : [failed('verification', `the list ends at ${String(head)}, the server says at ${claimed['head']}`)];
}
