/**
 * Whole documents: lists of chained objects, articles, bundles. The document is walked for everything that
 * carries evidence: entries (each chain must be whole), texts beside their hashes, an article's body beside
 * its DIVs, and proofs.
 */
import { checkArticle, checkTotals, kindOf } from './article.ts';
import { checkChains, linkOf, type ChainOptions, type Link } from './chain.ts';
import { checkPlain } from './content.ts';
import { Coverage } from './coverage.ts';
import { checkDiv } from './divs.ts';
import { checkListed } from './listed.ts';
import { checkLogged } from './joint.ts';
import { checkOpened } from './opened.ts';
import { isRecord, parseDocument, type Json } from './json.ts';
import { checkProven } from './receipt.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';
import { Scrubs, type Place } from './scrubs.ts';

/** A list as the API serves it: the array, or the object around it. `partial` for one page of several. */
export async function verifyChainList(list: Json, options: ChainOptions = {}): Promise<Report> {
  return withDocument(list, async (document, coverage) => {
    const { links, opened, listed } = gather(document);
    const scrubs = new Scrubs(opened);
    if (links.length > 0)
      return [
        ...(await checkChains(links, options)),
        ...(await checkListed(listed, scrubs, coverage, false)),
        ...checkClaimed(document, links, options),
      ];
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
    const { links, objects, proofs, opened, listed } = gather(document);
    const kind = kindOf(document);
    const scrubs = new Scrubs(opened);
    const isWhole = kind === 'article' || (isRecord(document) && document['chains'] !== undefined);
    const checks = [
      ...(await checkChains(links)),
      ...(await checkOpened(opened, listed, scrubs, coverage, isWhole)),
      ...(await checkListed(listed, scrubs, coverage, isWhole)),
    ];
    for (const { object, at } of objects)
      checks.push(...(await checkPlain(object, at)), ...(await checkDiv(object, at, scrubs)));
    for (const { object, at } of proofs)
      checks.push(...(await checkProven(object, undefined, verifierKey, at, coverage)));
    // Joined and not pushed: a document may have more to say than a call takes arguments.
    const own = isRecord(document)
      ? [
          ...(await checkArticle(document, kind, scrubs, coverage)),
          ...(await checkLogged(document, verifierKey, coverage)),
          ...checkTotals(document, kind, coverage),
        ]
      : [];
    return [...checks, ...own, ...checkClaimed(document, links, {})];
  });
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

interface Gathered {
  readonly links: Link[];
  /** Every object that is not itself an entry. */
  readonly objects: Place[];
  /** Objects with a `proof` member. */
  readonly proofs: Place[];
  /** Objects that show an entry: with what opens its contents, and without. */
  readonly opened: Place[];
  readonly listed: Place[];
}

function gather(document: Json): Gathered {
  const found: Gathered = { links: [], objects: [], proofs: [], opened: [], listed: [] };
  walk(document, '', found);
  return found;
}

function walk(value: Json, at: string, found: Gathered): void {
  if (Array.isArray(value)) {
    for (const [i, item] of (value as readonly Json[]).entries()) walk(item, `${at}[${i}]`, found);
  }
  if (!isRecord(value)) return;
  const link = linkOf(value, at);
  if (link === undefined) found.objects.push({ object: value, at });
  else found.links.push(link);
  if (link !== undefined && value['entry'] === link.entry) {
    (isRecord(value['contents']) ? found.opened : found.listed).push({ object: value, at });
  }
  // An entry that lists itself is read; beside a listed object's entry there may be more.
  if (link !== undefined && value['entry'] !== link.entry) return;
  const { proof } = value;
  const proven = isRecord(proof) && proof['entry_hash'] !== undefined;
  if (proven) found.proofs.push({ object: value, at: at === '' ? 'proof' : `${at}.proof` });
  for (const [key, member] of Object.entries(value)) {
    if ((key === 'entry' && link !== undefined) || (key === 'proof' && proven)) continue;
    walk(member, at === '' ? key : `${at}.${key}`, found);
  }
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
function checkClaimed(document: Json, all: readonly Link[], { partial }: ChainOptions): Check[] {
  // What was said where an article was imported from stands in chains of its own.
  const links = all.filter(({ at }) => !at.startsWith('imported.'));
  const claimed = isRecord(document) ? document['verification'] : undefined;
  if (!isRecord(claimed)) return [];
  if (claimed['valid'] !== true) {
    return [failed('verification', `the server says that the chain is broken: ${String(claimed['reason'])}`)];
  }
  const single = new Set(links.map(({ entry }) => entry['chain'])).size <= 1;
  if (!single || partial === true || typeof claimed['head'] !== 'string' || claimed['chains'] !== undefined)
    return [];
  const head =
    links.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n'])).at(-1)?.hash ?? 'genesis';
  return head === claimed['head']
    ? [passed('verification', `the list ends where the server says, at ${claimed['head']}`)]
    : [failed('verification', `the list ends at ${String(head)}, the server says at ${claimed['head']}`)];
}
