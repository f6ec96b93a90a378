/**
 * Completing an assignment (spec §4.5 rule 6, contract §7): judged from what its batch landed, in the same act. A
 * duplicate, a confirmation or a refusal lands nothing; each lane asks for the objects that are its work.
 */
import { actEntry } from '../entries.ts';
import type { EventDraft } from '../../engine/act.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import { links } from '../links.ts';
import type { AssignmentRow } from './tables.ts';
import type { Landed } from '../../model/landscape.ts';
import type { Lane } from '../../model/vocabulary.ts';

/** What an operation landed, with what the lanes ask about it. */
interface NewObject extends Landed {
  /** A claim that compares, and cites a source for it. */
  readonly compares: boolean;
  /** Contradicts an existing claim. */
  readonly opposes: boolean;
  /** The kind of a mirror contribution. */
  readonly proposes?: string;
}

/** What completes each lane, for the answer to work that did not complete it. */
export const laneWork: Readonly<Record<Lane, string>> = {
  field: 'a new source or claim, or a source proposed in the mirror',
  build: 'a new block of text, source or claim, or a source, repair or compression proposed in the mirror',
  opposition:
    'a new challenge, upgrade, vote, attested novel objection, a claim contrary to one that stands, or an objection, contradiction or audit in the mirror',
  synthesis:
    'a new claim with a comparison and at least one source, or an audit or compression proposed in the mirror',
};

const completes: Readonly<Record<Lane, (object: NewObject) => boolean>> = {
  field: ({ kind, proposes }) => kind === 'claim' || kind === 'source' || proposes === 'source',
  build: ({ kind, proposes = '' }) =>
    kind === 'claim' ||
    kind === 'source' ||
    kind === 'div' ||
    ['source', 'repair', 'compression'].includes(proposes),
  opposition: ({ opposes, proposes = '' }) =>
    opposes || ['objection', 'contradiction', 'audit'].includes(proposes),
  synthesis: ({ compares, proposes = '' }) => compares || ['audit', 'compression'].includes(proposes),
};

/** New graph objects among the results of a batch's operations, or of one document. */
export function newObjectsIn(results: readonly JsonObject[], base: string): readonly NewObject[] {
  return results.flatMap((result) => objectsOf(result, base));
}

function objectsOf(result: JsonObject, base: string): NewObject[] {
  const slug = String(result['slug'] ?? '');
  const plain = (kind: Landed['kind'], id: string, url: string): NewObject => ({
    kind,
    id: `${slug}/${id}`,
    url,
    compares: false,
    opposes: false,
  });
  if (typeof result['claim_id'] === 'string' && result['claim'] !== undefined) {
    const claim = result['claim'] as JsonObject;
    const extra = claim['extra'] as JsonObject;
    return [
      {
        ...plain('claim', result['claim_id'], links.claim(base, slug, result['claim_id'])),
        compares: extra['comparison'] !== undefined && lengthOf(claim['source_ids']) > 0,
        opposes: lengthOf(result['contrary']) > 0,
      },
    ];
  }
  if (Array.isArray(result['source_ids']))
    return (result['source_ids'] as readonly string[]).map((id) =>
      plain('source', id, `${links.article(base, slug)}#${id}`),
    );
  if (typeof result['vote_id'] === 'string')
    return [{ ...plain('vote', result['vote_id'], links.article(base, slug)), opposes: true }];
  const contribution = result['contribution'] as JsonObject | undefined;
  if (contribution !== undefined)
    return result['repeated'] === true
      ? []
      : [
          {
            ...plain('contribution', String(contribution['id']), String(result['permalink'])),
            proposes: String(contribution['kind']),
          },
        ];
  const entry = result['entry'] as JsonObject | undefined;
  if (typeof entry?.['stance'] === 'string') {
    const { stance, outcome, id } = entry;
    // A confirmation repeats what stands; so does an attestation that found nothing new.
    if (stance === 'confirmation' || outcome === 'duplicate_confirm' || outcome === 'nothing_to_add')
      return [];
    const opposes = stance === 'challenge' || stance === 'upgrade' || stance === 'attestation';
    return [{ ...plain('discourse', String(id), String(result['permalink'])), opposes }];
  }
  if (Array.isArray(result['divs']))
    return (result['divs'] as readonly JsonObject[]).map(({ div_id: id }) =>
      plain('div', String(id), links.div(base, slug, String(id))),
    );
  return [];
}

function lengthOf(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

/** What is kept of the landed objects as the assignment's result. */
export function resultOf(landed: readonly NewObject[]): readonly Landed[] {
  return landed.map(({ kind, id, url }) => ({ kind, id, url }));
}

/** A draft cannot be challenged, so a claim on it is what the lane opposition can say. */
export function isLaneWork(lane: Lane, landed: readonly NewObject[], onDraft: boolean): boolean {
  return landed.some(
    (each) => completes[lane](each) || (onDraft && lane === 'opposition' && each.kind === 'claim'),
  );
}

/** Why no work can land on an assignment any more, or nothing where it can. */
export function closedFault(
  { record, completed_at: done, returned_at: returned, result }: AssignmentRow,
  isCurrent: boolean,
  now: string,
): Fault | undefined {
  const closed = (how: string, fix: string, details: JsonObject): Fault =>
    about(fault('conflict', `${record.id} ${how}.`, fix, { assignment: record.id, ...details }), {
      kind: 'assignment',
      id: record.id,
    });
  const next = 'Ask for the next item of the lane';
  if (done !== null)
    return closed(`was completed at ${done}`, `${next}.`, {
      completed_at: done,
      result: result.map((each) => ({ ...each })),
    });
  if (returned !== null) return closed(`was returned at ${returned}`, `${next}.`, { returned_at: returned });
  if (isCurrent && record.expires_at > now) return undefined;
  return closed(
    `expired at ${record.expires_at}${isCurrent ? '' : ', and its item was leased again'}`,
    `${next}; nothing was written.`,
    { expires_at: record.expires_at },
  );
}

/** What landed under an assignment; `complete` where it is the lane's work and nothing was before. */
export function landEvent(
  row: AssignmentRow,
  action: 'land' | 'complete',
  result: readonly Landed[],
  context: Context,
): EventDraft {
  return actEntry(
    context,
    row.record.id,
    row.head,
    action,
    { result: result.map((each) => ({ ...each })) },
    { count: result.length },
  );
}

/** A contributor's work began the article, as a draft. */
export function beginEvent(row: AssignmentRow, aid: string, context: Context): EventDraft {
  return actEntry(context, row.record.id, row.head, 'begin', { aid });
}
