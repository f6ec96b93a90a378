/**
 * Queueing targets (spec §4.4, contract §7): a cohort is one population, chosen by one query and sort; each call
 * adds up to 500 targets to it. A target on an axis is queued once; sending it again changes nothing.
 */
import { actEntry } from '../entries.ts';
import {
  type QueueInput,
  type TargetInput,
  lintSelection,
  lintTarget,
  targetArticle,
  targetId,
} from './queue-rules.ts';
import type { EventDraft } from '../../engine/act.ts';
import { type Fault, fault, isFault } from '../../kernel/fault.ts';
import { localSlug, slugIn } from '../articles/slugs.ts';
import type { Context, Result } from '../context.ts';
import { links } from '../links.ts';
import { violation } from '../violations.ts';
import type { CohortRow, Item, ItemRow } from './tables.ts';
import { Queued, type Selection, type Target } from '../../model/landscape.ts';
import { exactly } from '../../model/exact.ts';

export const targetsMax = 500;
/** Items of one cohort; a larger population is several cohorts. */
export const itemsMax = 5000;

export interface QueueState {
  readonly cohort: CohortRow | undefined;
  readonly items: ReadonlyMap<string | number, ItemRow>;
  /** Contributors may lease from it. */
  readonly isOpen: boolean;
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
  /** Opens or closes the cohort to contributors; absent where the call said nothing of it. */
  readonly open?: boolean;
};

/** What addresses call a cohort: as a slug, it begins with its workspace. */
export function addressOfCohort(workspace: string, name: string): string {
  return slugIn(workspace, name);
}

/** The name of a cohort, whether its name or its address was given; what is neither stays as it is. */
export function nameOfCohort(workspace: string, given: string): string {
  const own = localSlug(given);
  return given === addressOfCohort(workspace, own) ? own : given;
}

export function queueTargets(state: QueueState, input: QueueInput, context: Context): Queued | Fault {
  const { cohort } = state;
  if (input.open !== undefined && context.actor !== 'owner')
    return fault(
      'owner_only',
      'Only the owner opens a cohort to contributors.',
      'Leave "open" out, or let the owner queue with it.',
    );
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
  const isOpen = input.open ?? state.isOpen;
  const event =
    items.length === 0 && isOpen === state.isOpen ? undefined : queueEvent(cohort, input, items, context);
  const url = links.landscape(context.base, addressOfCohort(context.workspace, input.cohort));
  return {
    event,
    result: {
      result: exactly(Queued, {
        cohort: input.cohort,
        queued: items.length,
        already_queued: already,
        items: items.map(({ n, target, axis, slot, article }) => ({ n, target, axis, slot, article })),
        total,
        open: isOpen,
        permalink: url,
      }),
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
    ...(input.open === undefined ? {} : { open: input.open }),
  };
  return actEntry(context, cohort?.chain ?? context.id('coh_'), cohort?.head ?? null, 'queue', content, {
    count: items.length,
  });
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
