/**
 * The body and DIVs of an article (contract §5): each text matches the newest entry of its chain; order, separators, kinds
 * and membership match the provenance. A document shows DIVs with their `text`, or as byte ranges (`start`, `end`) of the
 * UTF-8 body.
 */
import { fromUtf8, hex, sha256, utf8 } from './bytes.ts';
import { parseLink } from './chain.ts';
import type { Coverage } from './coverage.ts';
import { recordsIn, type History } from './history.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { keepsText } from './opened-contents.ts';
import { failed, passed, type Check } from './report.ts';
import type { Scrubs } from './scrubs.ts';

export interface DivEvidence {
  readonly history: History | undefined;
  readonly scrubs: Scrubs;
  /** How many entries of the chain of each DIV the document shows, wherever that is. */
  readonly lengths: ReadonlyMap<string, number>;
  /** Ids of all DIVs that the document must list, if evidence beside the list names them. */
  readonly expected: { readonly current: ReadonlySet<string>; readonly all: ReadonlySet<string> } | undefined;
  readonly coverage: Coverage;
  /** Coverage by the provenance. */
  readonly provenanceCoverage: Coverage;
}

/** A DIV as the document shows it, with what its chain says. */
interface Shown {
  readonly item: JsonRecord;
  readonly id: string;
  readonly text: string | undefined;
  readonly status: string;
  readonly at: string;
}

const endings = new Map<Json | undefined, string>([
  ['absorb', 'consolidated'],
  ['burn', 'burned'],
]);

/** What the newest entry of a DIV's chain makes of it. */
export function statusAfter(chain: readonly JsonRecord[]): string {
  return endings.get(chain.at(-1)?.['op']) ?? 'current';
}

/** The entries that are listed with a DIV, each by itself. */
export function chainOf({ chain }: JsonRecord): JsonRecord[] {
  return recordsIn(chain).filter((item) => item['entry'] === undefined && parseLink(item, '') !== undefined);
}

/** DIVs with their texts, `voxels` of a bundle or of the article's own read. */
export function checkVoxels(
  divs: readonly Json[],
  at: string,
  evidence: DivEvidence,
): { readonly checks: Check[]; readonly joined: string | undefined } {
  const { coverage, provenanceCoverage } = evidence;
  const checks: Check[] = [];
  const shown: Shown[] = [];
  for (const [i, item] of divs.entries()) {
    const place = `${at}[${i}]`;
    const id = isRecord(item) ? item['div_id'] : undefined;
    if (
      !isRecord(item) ||
      typeof id !== 'string' ||
      typeof item['text'] !== 'string' ||
      typeof item['vx_hash'] !== 'string'
    ) {
      checks.push(failed('div', 'a DIV is listed without an id, a text or a hash', place));
      continue;
    }
    const div = { item, id, text: item['text'], status: statusAfter(chainOf(item)), at: place };
    shown.push(div);
    checks.push(...checkLength(div, evidence));
    if (item['status'] !== div.status)
      checks.push(
        failed('div', `${id} is shown as ${String(item['status'])}, its chain ends as ${div.status}`, place),
      );
    const offset = shown.filter(({ status }) => status === 'current').length;
    const order = div.status === 'current' ? offset : null;
    if (item['order'] !== order)
      checks.push(
        failed('order', `${id} is shown in place ${String(item['order'])}, and stands in ${order}`, place),
      );
    coverage.members(item, 'div_id', 'text', 'vx_hash', 'scrubbed_by', 'status', 'order', 'chain');
  }
  const current = shown.filter(({ status }) => status === 'current');
  const paths = headingPaths(current, evidence.history);
  for (const { item, id, status, at: place } of shown) {
    const layout = evidence.history?.layouts.get(id);
    for (const name of ['sep', 'kind'])
      if (layout !== undefined)
        checks.push(...sameAs(item, name, layout[name], id, place, provenanceCoverage));
    const path = status === 'current' ? paths?.get(id) : evidence.history && [];
    if (path !== undefined) checks.push(...sameAs(item, 'heading_path', path, id, place, provenanceCoverage));
  }
  const listed = checkList(shown, divs, evidence, at);
  const isText = current.every(({ item }) => typeof item['sep'] === 'string');
  const joined = isText
    ? current.map(({ item }) => `${String(item['text'])}${String(item['sep'])}`).join('')
    : undefined;
  return { checks: [...checks, ...listed], joined };
}

/** DIVs as places in the body, `divs` of an article document. */
export async function checkPlaces(
  document: JsonRecord,
  divs: readonly Json[],
  evidence: DivEvidence,
): Promise<Check[]> {
  const { coverage, provenanceCoverage, history } = evidence;
  const checks: Check[] = [];
  const bytes = utf8(String(document['body']));
  const shown: Shown[] = [];
  let reached: number | undefined;
  let before: Shown | undefined;
  for (const [i, item] of divs.entries()) {
    const at = `divs[${i}]`;
    const id = isRecord(item) ? item['div_id'] : undefined;
    if (!isRecord(item) || typeof id !== 'string') {
      checks.push(failed('div', 'a DIV is listed without an id', at));
      continue;
    }
    const { start, end } = item;
    const status = statusAfter(chainOf(item));
    const isInPlace = isPlace(start, reached ?? 0, bytes.length) && isPlace(end, start, bytes.length);
    if (status === 'current' ? !isInPlace : start !== null || end !== null) {
      checks.push(failed('div', `${id} does not stand in the body where the document says`, at));
      continue;
    }
    const text = isInPlace ? fromUtf8(bytes.slice(start, end)) : undefined;
    const div = { item, id, text, status, at };
    if (isInPlace) {
      checks.push(...checkBetween(history, before, fromUtf8(bytes.slice(reached ?? 0, start)), at));
      reached = end;
      before = div;
    }
    checks.push(
      isInPlace && text === undefined
        ? failed('div', `${id} does not begin and end between two characters`, at)
        : await checkText(div, evidence.scrubs),
    );
    checks.push(...checkLength(div, evidence));
    shown.push(div);
    coverage.members(item, 'div_id', 'start', 'end', 'scrubbed_by', 'chain');
  }
  checks.push(...checkBetween(history, before, fromUtf8(bytes.slice(reached ?? 0)), 'body'));
  checks.push(...checkList(shown, divs, evidence, 'divs'));
  // The text between blocks is known where the provenance is whole.
  if (history?.isWhole === true) provenanceCoverage.members(document, 'body', 'content_hash');
  return checks;
}

function isPlace(value: Json | undefined, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

/** The bytes behind one DIV, or before the first, are the separator that the provenance has, or the lead. */
function checkBetween(
  history: History | undefined,
  before: Shown | undefined,
  between: string | undefined,
  at: string,
): Check[] {
  const known = before === undefined ? history?.article['lead'] : history?.layouts.get(before.id)?.['sep'];
  if (typeof known === 'string' ? between === known : between?.trim() === '') return [];
  return [
    failed(
      'separator',
      before === undefined
        ? 'the body does not begin as the provenance has it'
        : `what stands behind ${before.id} is not what the provenance has there`,
      at,
    ),
  ];
}

/** Any object of the document that shows a DIV's text with its hash. */
export async function checkDiv(item: JsonRecord, at: string, scrubs: Scrubs): Promise<Check[]> {
  const { div_id: id, text, vx_hash: shown } = item;
  if (typeof id !== 'string' || typeof text !== 'string' || shown === undefined) return [];
  return [await checkText({ item, id, text, status: '', at }, scrubs)];
}

/** The text is what the DIV's chain commits to, or what a scrub entry put in its place. */
async function checkText({ item, id, text, status, at }: Shown, scrubs: Scrubs): Promise<Check> {
  const chain = chainOf(item);
  const wrong = chain.find((entry, n) => !isChainOf(entry['chain'], id) || entry['n'] !== n);
  const listed = Array.isArray(item['chain']) ? item['chain'].length : 0;
  if (chain.length === 0 || chain.length < listed || wrong !== undefined)
    return failed('div', `the entries listed with ${id} are not those of its chain`, at);
  // Of a DIV that left the article, a list of places shows no text.
  if (text === undefined) return passed('div', `${id} is ${status}`, at);
  const sha = hex(await sha256(utf8(text)));
  const shown = item['vx_hash'];
  if (shown !== undefined && shown !== sha)
    return failed('div', `the text hashes to ${sha}, not to ${String(shown)}`, at);
  const by = item['scrubbed_by'];
  const newest = chain.findLast((entry) => !keepsText.has(entry['op']));
  if (by !== undefined) {
    const place = { chain: newest?.['chain'], n: newest?.['n'], field: 'text_sha' };
    return typeof by === 'string' && scrubs.replaces(place, text, by)
      ? passed('div', `scrubbed: the text of ${id} is a replacement, and ${by} commits to it`, at)
      : failed(
          'div',
          `the text of ${id} is shown as scrubbed, and no scrub entry here commits to what replaces it`,
          at,
        );
  }
  const committed = newest?.['text_sha'];
  return committed === sha
    ? passed('div', `the text hashes to ${sha}`, at)
    : failed('div', `the DIV's chain ends at text ${String(committed)}, not at ${sha}`, at);
}

/** No entry of its chain stands elsewhere only. */
function checkLength({ item, id, at }: Shown, { lengths }: DivEvidence): Check[] {
  const length = lengths.get(id) ?? 0;
  return chainOf(item).length === length
    ? []
    : [failed('div', `the chain of ${id} has ${length} entries, not those that are listed`, at)];
}

function isChainOf(chain: Json | undefined, id: string): boolean {
  return typeof chain === 'string' && chain.endsWith(`.${id}`);
}

/** Which DIVs are listed, and in which order. */
function checkList(
  shown: readonly Shown[],
  divs: readonly Json[],
  { history, expected, provenanceCoverage }: DivEvidence,
  at: string,
): Check[] {
  const checks: Check[] = [];
  const ids = shown.map(({ id }) => id);
  const current = shown.filter(({ status }) => status === 'current');
  const left = shown.filter(({ status }) => status !== 'current');
  if (new Set(ids).size < divs.length) checks.push(failed('order', 'a DIV is listed twice', at));
  const sorted = [...current, ...left.toSorted((a, b) => numberOf(a.id) - numberOf(b.id))];
  if (sorted.some((div, i) => div !== shown[i]))
    checks.push(
      failed('order', 'DIVs that left the article do not follow those that stand, by their number', at),
    );
  const places = current.map(({ id }) => history?.layouts.get(id)?.['pos']);
  if (places.some((pos, i) => i > 0 && Number(pos) < Number(places[i - 1])))
    checks.push(failed('order', 'the DIVs do not stand in the order that the provenance gives them', at));
  const missing = [...(expected?.current ?? [])].find((id) => !ids.includes(id));
  if (missing !== undefined) checks.push(failed('membership', `${missing} is left out`, at));
  const strange = expected === undefined ? undefined : ids.find((id) => !expected.all.has(id));
  if (strange !== undefined) checks.push(failed('membership', `no entry makes a DIV ${strange}`, at));
  if (expected !== undefined && places.every((pos) => typeof pos === 'number')) provenanceCoverage.list(divs);
  return checks;
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

/** The headings above each DIV that stands, as their levels and titles in the provenance give them. */
function headingPaths(
  current: readonly Shown[],
  history: History | undefined,
): ReadonlyMap<string, readonly Json[]> | undefined {
  const paths = new Map<string, readonly Json[]>();
  let open: { readonly level: number; readonly title: Json }[] = [];
  for (const { id } of current) {
    const layout = history?.layouts.get(id);
    if (layout === undefined) return undefined;
    const { level, title = null } = layout;
    const isHeading = typeof level === 'number' && level > 0;
    if (isHeading) open = open.filter((outer) => outer.level < level);
    paths.set(
      id,
      open.map((outer) => outer.title),
    );
    if (isHeading) open = [...open, { level, title }];
  }
  return paths;
}

function sameAs(
  item: JsonRecord,
  name: string,
  known: Json | undefined,
  id: string,
  at: string,
  coverage: Coverage,
): Check[] {
  coverage.members(item, name);
  const shown = item[name];
  return shown !== undefined && known !== undefined && canonical(shown) === canonical(known)
    ? []
    : [failed(name, `${name} of ${id} is not what the provenance has`, at)];
}
