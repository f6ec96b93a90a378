/**
 * Whole documents: lists of chained objects, articles, bundles. The document is walked for everything that
 * carries evidence: entries (each chain must be whole), texts beside their hashes, an article's body beside
 * its DIVs, and proofs.
 */
import { checkArticle, checkTotals, kindOf } from './article.ts';
import { checkBelonging, isScrubChain, scrubsAmong } from './belonging.ts';
import { checkChains, linkOf, type ChainOptions, type Link } from './chain.ts';
import { checkPlain } from './content.ts';
import { Coverage } from './coverage.ts';
import { checkDiv } from './divs.ts';
import { checkListed } from './listed.ts';
import { checkLogged } from './joint.ts';
import { checkOpened } from './opened.ts';
import { isRecord, parseDocument, type Json, type JsonRecord } from './json.ts';
import { checkProven } from './receipt.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';
import { Scrubs, type Place } from './scrubs.ts';

/** A list as the API serves it: the array, or the object around it. `partial` for one page of several. */
export async function verifyChainList(list: Json, options: ChainOptions = {}): Promise<Report> {
  return withDocument(list, async (document, coverage) => {
    const parts = gather(document);
    const links = ownLinks(parts);
    if (links.length > 0) {
      const checks: Check[] = [];
      for (const part of parts) {
        const { scrubs, covering } = evidenceIn(part, document, coverage);
        checks.push(
          ...(await checkChains(part.links, part.holder === 'document' ? options : {})),
          ...(await checkListed(part.listed, scrubs, covering, {
            isWhole: false,
            isSaid: part.holder === 'imported',
          })),
        );
      }
      return [...checks, ...checkClaimed(document, links, options)];
    }
    return [
      isEmptyList(document) ? passed('chain', 'the list is empty') : failed('chain', 'no entry is listed'),
    ];
  });
}

/**
 * A bundle, an article or any other document. Without `verifierKey` a bundle is held against the key that it names
 * itself, and the report says so; any other proof in it counts as not verified.
 */
export async function verifyBundle(bundle: Json, verifierKey?: string): Promise<Report> {
  return withDocument(bundle, async (document, coverage) => {
    const parts = gather(document);
    const links = ownLinks(parts);
    const kind = kindOf(document);
    const isWhole = kind === 'article' || (isRecord(document) && document['chains'] !== undefined);
    const checks: Check[] = [];
    for (const part of parts) {
      const { scrubs, covering } = evidenceIn(part, document, coverage);
      const { opened, listed, objects, proofs } = part;
      checks.push(
        ...(await checkChains(part.links)),
        ...(await checkOpened(opened, listed, scrubs, covering, isWhole)),
        ...(await checkListed(listed, scrubs, covering, { isWhole, isSaid: part.holder === 'imported' })),
      );
      for (const { object, at } of objects)
        checks.push(...(await checkPlain(object, at)), ...(await checkDiv(object, at, scrubs)));
      for (const { object, at } of proofs)
        checks.push(...(await checkProven(object, undefined, verifierKey, at, covering)));
    }
    if (!isRecord(document)) return [...checks, ...checkClaimed(document, links, {})];
    const { scrubs } = evidenceIn(parts[0], document, coverage);
    const isOfOne = kind !== 'other' || typeof document['slug'] === 'string';
    // Joined and not pushed: a document may have more to say than a call takes arguments.
    return [
      ...checks,
      ...(isOfOne ? checkBelonging(document, kind === 'article', links) : []),
      ...(await checkArticle(document, kind, links, scrubs, coverage)),
      ...(await checkLogged(document, verifierKey, coverage)),
      ...checkTotals(document, kind, coverage),
      ...checkClaimed(document, links, {}),
    ];
  });
}

/** What may vouch for replacements in a part of the document, and what takes note of the members that are covered. */
function evidenceIn(
  { holder, opened }: Gathered,
  document: Json,
  coverage: Coverage,
): { readonly scrubs: Scrubs; readonly covering: Coverage } {
  const vouching =
    holder === 'document'
      ? scrubsAmong(document, opened)
      : opened.filter(({ object }) => isScrubChain((object['entry'] as JsonRecord)['chain']));
  // Nothing in the document commits to what it shows as said where the article was imported from.
  return { scrubs: new Scrubs(vouching), covering: holder === 'imported' ? new Coverage() : coverage };
}

/** `document` as JSON text or parsed. */
async function withDocument(
  document: Json,
  check: (document: Json, coverage: Coverage) => Promise<readonly Check[]>,
): Promise<Report> {
  let value = document;
  try {
    if (typeof document === 'string') value = parseDocument(document);
  } catch (error) {
    return reportOf([failed('document', `the document is not JSON: ${(error as Error).message}`)]);
  }
  const coverage = new Coverage();
  const checks = await check(value, coverage);
  return reportOf(checks, coverage.uncovered(value));
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
}

type Parts = [document: Gathered, ...others: Gathered[]];

/** Each part is judged by itself: entries of one can neither complete nor replace those of another. */
function gather(document: Json): Parts {
  const parts: Parts = [nothing('document')];
  walk(document, '', parts[0], parts);
  return parts;
}

function nothing(holder: Gathered['holder']): Gathered {
  return { holder, links: [], objects: [], proofs: [], opened: [], listed: [] };
}

function ownLinks([{ links }]: Parts): readonly Link[] {
  return links;
}

function walk(value: Json, at: string, found: Gathered, parts: Parts): void {
  if (Array.isArray(value)) {
    for (const [i, item] of (value as readonly Json[]).entries()) walk(item, `${at}[${i}]`, found, parts);
  }
  if (!isRecord(value)) return;
  const link = linkOf(value, at);
  if (link === undefined) found.objects.push({ object: value, at });
  else found.links.push(link);
  const { proof, contents } = value;
  const isListed = link !== undefined && value['entry'] === link.entry;
  if (isListed && isRecord(contents)) found.opened.push({ object: value, at });
  if (isListed && !(isRecord(contents) && value['content'] === undefined))
    found.listed.push({ object: value, at });
  const proven = isRecord(proof) && proof['entry_hash'] !== undefined;
  if (proven) found.proofs.push({ object: value, at: at === '' ? 'proof' : `${at}.proof` });
  for (const [key, member] of Object.entries(value)) {
    const place = at === '' ? key : `${at}.${key}`;
    if ((key === 'entry' && isListed) || (key === 'proof' && proven)) continue;
    // What replaces the evidence of an import is no evidence: its plain hashes were replaced with their texts.
    if (key === 'replacement' && found.holder === 'content') continue;
    if (key === 'contents' && isListed && isRecord(contents)) {
      for (const [field, content] of Object.entries(contents))
        walk(content, `${place}.${field}`, begin('content', parts), parts);
    } else if (key === 'imported') walk(member, place, begin('imported', parts), parts);
    else walk(member, place, found, parts);
  }
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
