/**
 * Whole documents: lists of chained objects, articles, bundles. The document is walked for everything that
 * carries evidence: entries (each chain must be whole), texts beside their hashes, an article's body beside
 * its DIVs, and proofs.
 */
import { checkChains, linkOf, type ChainOptions, type Link } from './chain.ts';
import { checkPlain } from './content.ts';
import { checkListed } from './listed.ts';
import { checkLogged } from './joint.ts';
import { checkOpened, type Place } from './opened.ts';
import { isRecord, parse, type Json, type JsonRecord } from './json.ts';
import { checkProvenance } from './provenance.ts';
import { checkProven } from './receipt.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';

/** A list as the API serves it: the array, or the object around it. `partial` for one page of several. */
export async function verifyChainList(list: Json, options: ChainOptions = {}): Promise<Report> {
  return withDocument(list, async (document) => {
    const { links, listed } = gather(document);
    if (links.length > 0)
      return [
        ...(await checkChains(links, options)),
        ...(await checkListed(listed)),
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
  return withDocument(bundle, async (document) => {
    const { links, objects, proofs, opened, listed } = gather(document);
    const checks = [
      ...(await checkChains(links)),
      ...(await checkOpened(opened, listed)),
      ...(await checkListed(listed)),
    ];
    for (const { object, at } of objects) checks.push(...(await checkPlain(object, at)));
    for (const { object, at } of proofs)
      checks.push(...(await checkProven(object, undefined, verifierKey, at)));
    // Joined and not pushed: a document may have more to say than a call takes arguments.
    const own = isRecord(document)
      ? [...checkBody(document), ...checkProvenance(document), ...(await checkLogged(document, verifierKey))]
      : [];
    return [...checks, ...own, ...checkClaimed(document, links, {})];
  });
}

/** `document` as JSON text or parsed. */
async function withDocument(
  document: Json,
  check: (document: Json) => Promise<readonly Check[]>,
): Promise<Report> {
  let value = document;
  try {
    if (typeof document === 'string') value = parse(document);
  } catch (error) {
    return reportOf([failed('document', `the document is not JSON: ${(error as Error).message}`)]);
  }
  return reportOf(await check(value));
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
function checkClaimed(document: Json, links: readonly Link[], { partial }: ChainOptions): Check[] {
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

const inactive = new Set<Json | undefined>(['consolidated', 'burned']);

/** The body is the standing DIVs, joined in order with the blanks between them. */
function checkBody(document: JsonRecord): Check[] {
  const { body, voxels } = document;
  const divs = isRecord(voxels) ? voxels['divs'] : voxels;
  if (typeof body !== 'string' || !Array.isArray(divs)) return [];
  const lead = isRecord(voxels) ? voxels['lead'] : document['lead'];
  let joined = typeof lead === 'string' ? lead : '';
  for (const div of divs as readonly Json[]) {
    if (!isRecord(div) || typeof div['text'] !== 'string' || typeof div['sep'] !== 'string') return [];
    if (!inactive.has(div['status'])) joined += div['text'] + div['sep'];
  }
  return [
    joined === body
      ? passed('body', 'the DIVs join to the body', 'body')
      : failed('body', 'the DIVs do not join to the body', 'body'),
  ];
}
