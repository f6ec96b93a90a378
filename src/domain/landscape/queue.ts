/**
 * Queueing targets (spec §4.4, contract §7): a cohort is one population, chosen by one query and sort; each call
 * adds up to 500 targets to it. A target on an axis is queued once; sending it again changes nothing.
 */
import type { EventDraft } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { captureTimeFix, isCaptureTime, slots } from '../articles/claim-rules.ts';
import { checkSlug, ownPartOf, slugFrom, slugIn } from '../articles/slugs.ts';
import type { Context, Result } from '../context.ts';
import { links } from '../links.ts';
import { seenRules } from '../text-rules.ts';
import { violation, type Fitting, type Violation } from '../violations.ts';
import type { CohortRow, Item, ItemRow, Selection, Target } from './tables.ts';

export const targetsMax = 500;
/** Items of one cohort; a larger population is several cohorts. */
export const itemsMax = 5000;
const idCharsMax = 38;
const nameShape = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export interface TargetInput {
  readonly id?: string | undefined;
  readonly name: string;
  readonly repository?: string | undefined;
  readonly url?: string | undefined;
  readonly rank?: number | undefined;
  readonly axis?: string | undefined;
  readonly slot?: string | undefined;
}

export interface QueueInput {
  readonly cohort: string;
  readonly query: string;
  readonly sort?: string | undefined;
  readonly captured_at: string;
  readonly source_url?: string | undefined;
  readonly targets: readonly TargetInput[];
}

export interface QueueState {
  readonly cohort: CohortRow | undefined;
  readonly items: ReadonlyMap<string | number, ItemRow>;
  /** Whether an article of that slug is there already. */
  isTaken(slug: string): boolean;
}

export interface Queued {
  readonly event: EventDraft | undefined;
  readonly result: Result;
}

/** What the ledger keeps of one call. */
export type QueueContent = {
  readonly tenant: string;
  readonly name: string;
  readonly query: string;
  readonly sort: string;
  readonly items: readonly Item[];
};

/** What addresses call a cohort: as a slug, it begins with its workspace. */
export function addressOfCohort(workspace: string, name: string): string {
  return slugIn(workspace, name);
}

/** The name of a cohort, whether its name or its address was given; what is neither stays as it is. */
export function nameOfCohort(workspace: string, given: string): string {
  const own = ownPartOf(given);
  return given === addressOfCohort(workspace, own) ? own : given;
}

/** Slug of the article that holds what is found about a target. */
export function targetArticle(workspace: string, cohort: string, id: string): string {
  return slugIn(workspace, `${cohort}-${id}`);
}

export function targetId({ id, name }: TargetInput): string {
  return (
    id ??
    slugFrom(name, `target-${sha256Hex(name.trim()).slice(0, 8)}`)
      .slice(0, idCharsMax)
      .replace(/-+$/, '')
  );
}

export function queueTargets(state: QueueState, input: QueueInput, context: Context): Queued | Fault {
  const { cohort } = state;
  if (cohort !== undefined && (cohort.query !== input.query || cohort.sort !== (input.sort ?? '')))
    return fault(
      'conflict',
      `${input.cohort} is the cohort of another query: a cohort is one population, selected in one way.`,
      'Queue the targets under another cohort name, or with the stored query and sort.',
      { query: cohort.query, sort: cohort.sort },
    );
  const read = readTargets(state, input, context);
  if (isFault(read)) return read;
  const { items, already } = read;
  const total = (cohort?.items ?? 0) + items.length;
  if (total > itemsMax)
    return fault(
      'batch_limit',
      `The cohort would have ${total} items; at most ${itemsMax} are allowed.`,
      'Split the population into several cohorts.',
    );
  const event = items.length === 0 ? undefined : queueEvent(cohort, input, items, context);
  const url = links.landscape(context.base, addressOfCohort(context.workspace, input.cohort));
  return {
    event,
    result: {
      result: {
        cohort: input.cohort,
        queued: items.length,
        already_queued: already,
        items: items.map(({ n, target, axis, slot, article }) => ({ n, target, axis, slot, article })),
        total,
        permalink: url,
      },
      text: `Queued ${items.length} of ${input.targets.length} targets in ${input.cohort}; it has ${total} items now. ${url}`,
      material: [{ kind: 'cohort', id: input.cohort, url }],
    },
  };
}

function queueEvent(
  cohort: CohortRow | undefined,
  input: QueueInput,
  items: readonly Item[],
  context: Context,
): EventDraft {
  const content: QueueContent = {
    tenant: context.tenant,
    name: input.cohort,
    query: input.query,
    sort: input.sort ?? '',
    items,
  };
  return {
    draft: {
      chain: cohort?.chain ?? context.id('coh_'),
      ts: context.now,
      actor: context.actor,
      action: 'queue',
      inv: context.inv,
      count: items.length,
    },
    head: cohort?.head ?? null,
    contents: [{ field: 'content_sha', value: content }],
  };
}

/** The new items and how many were there, or every rule that the call breaks. */
function readTargets(
  state: QueueState,
  input: QueueInput,
  context: Context,
): { readonly items: readonly Item[]; readonly already: number } | Fault {
  const violations = lintSelection(input);
  const names = new Map<string, string>();
  const known = new Set<string>();
  const articles = new Set<string>();
  for (const { item } of state.items.values()) {
    names.set(item.target.id, item.target.name);
    articles.add(item.article);
    known.add(itemKey(item.target.id, item.axis));
  }
  const selection: Selection = {
    query: input.query,
    sort: input.sort ?? '',
    captured_at: input.captured_at,
    source_url: input.source_url ?? null,
  };
  const items: Item[] = [];
  let already = 0;
  for (const [i, given] of input.targets.entries()) {
    const broken = lintTarget(given, `/targets/${i}`, input.cohort, context.workspace);
    violations.push(...broken);
    if (broken.length > 0) continue;
    const id = targetId(given);
    const name = given.name.trim();
    const called = names.get(id);
    if (called !== undefined && called !== name) {
      violations.push(
        violation(
          'ambiguous_id',
          `/targets/${i}/${given.id === undefined ? 'name' : 'id'}`,
          `The id ${id} is that of "${called}" already.`,
          'Send an id of its own for this target.',
        ),
      );
      continue;
    }
    names.set(id, name);
    const axis = blankAsNull(given.axis);
    if (known.has(itemKey(id, axis))) {
      already++;
      continue;
    }
    const article = targetArticle(context.workspace, input.cohort, id);
    // Whoever may queue must not thereby open an article that others wrote.
    if (context.actor !== 'owner' && !articles.has(article) && state.isTaken(article)) {
      violations.push(
        violation(
          'article_exists',
          `/targets/${i}`,
          `There is an article ${article} already.`,
          'Send another id, or let the owner queue this target.',
        ),
      );
      continue;
    }
    known.add(itemKey(id, axis));
    items.push({
      n: (state.cohort?.items ?? 0) + items.length + 1,
      target: targetOf(id, name, given),
      axis,
      slot: given.slot ?? null,
      article,
      selection,
      queued_by: context.actor,
    });
  }
  if (violations.length === 0) return { items, already };
  return fault(
    'content_rule',
    `The targets break ${violations.length} rule${violations.length === 1 ? '' : 's'}; none was queued.`,
    'Mend each violation and send the call again.',
    { violations },
  );
}

function targetOf(id: string, name: string, given: TargetInput): Target {
  return {
    id,
    name,
    repository: blankAsNull(given.repository),
    url: blankAsNull(given.url),
    rank: given.rank ?? null,
  };
}

function blankAsNull(text: string | undefined): string | null {
  const trimmed = (text ?? '').trim();
  return trimmed === '' ? null : trimmed;
}

/** Axes are compared as they are read: without regard to case or blanks around them. */
export function sameAxis(axis: string | null): string {
  return (axis ?? '').trim().toLowerCase();
}

function itemKey(id: string, axis: string | null): string {
  return `${id}\0${sameAxis(axis)}`;
}

/** What the targets of one call break by themselves, whatever the cohort holds. */
export function queueRules(input: Fitting<QueueInput>): Violation[] {
  const { cohort, targets } = input;
  return [
    ...lintSelection(input),
    ...(targets ?? []).flatMap((target, i) =>
      target === null ? [] : lintTarget(target, `/targets/${i}`, cohort ?? '', ''),
    ),
  ];
}

function lintSelection(input: Fitting<QueueInput>): Violation[] {
  const found: Violation[] = [];
  const say = (code: string, at: string, message: string, fix: string): void =>
    void found.push(violation(code, at, message, fix));
  if (typeof input.cohort === 'string' && !nameShape.test(input.cohort))
    say('cohort', '/cohort', 'The cohort is no name of a-z, 0-9 and single hyphens.', 'Name it as a slug.');
  if (input.query?.trim() === '')
    say('query', '/query', 'Nothing says how the targets were found.', 'Say what was asked, and where.');
  if (typeof input.captured_at === 'string' && !isCaptureTime(input.captured_at))
    say('captured_at', '/captured_at', 'captured_at is no time.', captureTimeFix);
  if (typeof input.source_url === 'string' && !isWebAddress(input.source_url))
    say('source_url', '/source_url', 'source_url is no http(s) address.', 'Give the page that lists them.');
  return found;
}

function lintTarget(given: Fitting<TargetInput>, at: string, cohort: string, workspace: string): Violation[] {
  const found: Violation[] = [];
  const say = (code: string, member: string, message: string, fix: string): void =>
    void found.push(violation(code, `${at}/${member}`, message, fix));
  const { repository, url, id, name: called, slot } = given;
  const name = called?.trim();
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name ?? ''))
    say('name', 'name', 'The name is empty or has control characters.', 'Give the name in one line.');
  if (typeof id === 'string' && !nameShape.test(id))
    say('id', 'id', `"${id}" is no id of a-z, 0-9 and single hyphens.`, 'Use such an id, or leave it out.');
  else if (
    found.length === 0 &&
    nameShape.test(cohort) &&
    typeof called === 'string' &&
    id !== null &&
    checkSlug(targetArticle(workspace, cohort, targetId({ name: called, id })), workspace) !== undefined
  )
    say(
      'id',
      id === undefined ? 'name' : 'id',
      'Its article would have no valid slug.',
      'Send a shorter id.',
    );
  if (typeof repository === 'string' && !isRepository(repository))
    say(
      'repository',
      'repository',
      'It is neither an http(s) address nor owner/name.',
      'Give one of the two.',
    );
  if (typeof url === 'string' && !isWebAddress(url))
    say('url', 'url', 'It is no http(s) address.', 'Give the address of the target.');
  if (typeof slot === 'string' && !slots.includes(slot))
    say('slot', 'slot', `"${slot}" is no constitution slot.`, `Use one of ${slots.join(', ')}.`);
  return [...found, ...seenRules({ name: called, axis: given.axis }, at)];
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function isRepository(text: string): boolean {
  return isWebAddress(text) || /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text.trim());
}
