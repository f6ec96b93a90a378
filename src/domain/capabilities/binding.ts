/**
 * What a share that a lease cut is bound to (contract §7 "Landscape"): its assignment, the verbs of the lane, and the
 * state of the target's article. Every door and every nested call meets this check in the scope gate
 * (`capabilities/gates.ts`); a cut has the same root, so it has the same binding. Pure: the rows are read by
 * `app/credentials/binding.ts`.
 */
import type { CapabilityRecord } from './tables.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { AssignmentRecord, AssignmentRow } from '../landscape/tables.ts';
import type { Landed } from '../../model/landscape.ts';
import type { Lane } from '../../model/vocabulary.ts';

/**
 * The target's article: `begun` is a draft that work on this target began, `hidden` is another author's draft, which
 * is treated as absent, and `public` was published at some time.
 */
export type TargetState = 'absent' | 'begun' | 'hidden' | 'public';

/** The article that has the slug of the target. */
interface Target {
  readonly aid: string;
  readonly status: string;
}

export interface Binding {
  readonly assignment: AssignmentRecord;
  readonly article: TargetState;
  /** What the work added so far. */
  readonly landed: readonly Landed[];
  /** The owner leased the item, or a credential that the owner minted did. */
  readonly ownerMinted: boolean;
}

/** Verbs that the article's readers have without a credential. */
const openRows = ['ARTICLE_INSPECT', 'MIRROR_APPEND', 'VOXEL_CHALLENGE', 'VOXEL_VOTE'];
const filingRows = ['VOXEL_BATCH', 'SOURCE_POST', 'CLAIM_POST'];

/** Rows that each lane's work is made of: what the share of an assignment covers. */
export const laneRows: Readonly<Record<Lane, readonly string[]>> = {
  field: [...filingRows, ...openRows],
  build: [...filingRows, ...openRows],
  opposition: [...filingRows, ...openRows, 'VOXEL_ATTEST'],
  synthesis: [...filingRows, ...openRows],
};

/** What a contributor's lease does on a published article. The operations of a batch are judged one by one. */
const publishedRows = ['VOXEL_BATCH', ...openRows];

/** Members of a document that say where its blocks go and what they are; every other member is metadata. */
const blockMembers: ReadonlySet<string> = new Set(['slug', 'markdown']);

/** The id of the assignment whose lease cut this share, by its record; leases of 0.1.0 said so in their purpose alone. */
export function assignmentNamed({ assignment, purpose }: CapabilityRecord): string | undefined {
  return assignment ?? /^assignment (norm_[a-z2-7]{16})$/.exec(purpose)?.[1];
}

/**
 * The binding of a chain by its root. `row` is the assignment that the root names: the minter types the purpose,
 * so the assignment must name the share in turn. `begun` is the id of the article that work on the target began.
 */
export function bindingOf(
  root: CapabilityRecord,
  row: AssignmentRow | undefined,
  target: Target | undefined,
  begun: string | undefined,
): Binding | Fault | undefined {
  if (row === undefined || row.record.capability_fingerprint !== root.fingerprint)
    return root.assignment === undefined ? undefined : lost();
  return {
    assignment: row.record,
    article: targetState(target, begun),
    landed: row.result,
    ownerMinted: root.origin === 'owner',
  };
}

/** A share that a lease cut is good for nothing without its assignment. */
function lost(): Fault {
  return fault(
    'token_revoked',
    'The ledger has no record of the assignment of this share.',
    'Lease the item again.',
  );
}

function targetState(target: Target | undefined, begun: string | undefined): TargetState {
  if (target === undefined) return 'absent';
  if (target.status !== 'draft') return 'public';
  return target.aid === begun ? 'begun' : 'hidden';
}

/** Whether the binding lets its share read and write a draft. */
export function reachesDraft({ article, assignment }: Binding, slug: string): boolean {
  return article === 'begun' && assignment.item.article === slug;
}

/** Why a call is no part of the assigned work, or nothing where it is. `document` is that of a document-mode batch. */
export function outsideBinding(
  { assignment: { id, lane }, article, ownerMinted }: Binding,
  key: string,
  document: JsonObject | undefined,
): Fault | undefined {
  const restricted = article === 'public' && !ownerMinted;
  if (!(restricted ? publishedRows : laneRows[lane]).includes(key))
    return restricted
      ? denied(
          `The share is bound to ${id}: on a published article it challenges, votes and contributes to the mirror only.`,
          'Send it as MIRROR_APPEND, which the owner can accept.',
        )
      : denied(
          `The share is bound to ${id}, and ${key} is no verb of the lane ${lane}.`,
          `Use one of ${laneRows[lane].join(', ')}.`,
        );
  if (document === undefined) return undefined;
  if (lane !== 'build' || article === 'public')
    return denied(
      `The share is bound to ${id}: it appends blocks in the lane build only, and only to a draft that this work began.`,
      'Send operations: sources, claims or a challenge.',
    );
  const metadata = Object.keys(document).filter((name) => !blockMembers.has(name));
  if (metadata.length === 0) return undefined;
  return denied(
    `The share is bound to ${id} and sets no metadata: ${metadata.join(', ')}.`,
    'Send document with slug and markdown only.',
  );
}

function denied(message: string, fix: string): Fault {
  return fault('scope_denied', message, fix);
}
