/**
 * Calls that do the work of an assignment from an address alone (contract §7): a row, and the arguments that only its
 * worker can fill in; everything else comes from the assignment. A pure function of what the assignment recorded.
 */
import type { Lane } from '../../model/vocabulary.ts';
import type { AssignmentRecord } from './tables.ts';

export interface WorkCall {
  readonly key: string;
  readonly args: readonly string[];
}

const source: WorkCall = { key: 'SOURCE_POST', args: ['url', 'title', 'quote'] };
const claim: WorkCall = { key: 'CLAIM_POST', args: ['text', 'tier', 'who_claims'] };
/** An item without an axis leaves it to its worker what to compare. */
const comparison: WorkCall = { ...claim, args: [...claim.args, 'axis'] };
const blocks: WorkCall = { key: 'VOXEL_BATCH', args: ['markdown'] };
const challenge: WorkCall = { key: 'VOXEL_CHALLENGE', args: ['body', 'actor'] };
const vote: WorkCall = { key: 'VOXEL_VOTE', args: ['proposal', 'rationale', 'actor'] };
const contribution: WorkCall = { key: 'MIRROR_APPEND', args: ['body', 'actor'] };

/** `isPublic`: the article of the target was published. */
export function workCalls({ lane, item, free }: AssignmentRecord, isPublic: boolean): readonly WorkCall[] {
  if (isPublic && free === true)
    return lane === 'opposition' ? [challenge, vote, contribution] : [contribution];
  const calls: Readonly<Record<Lane, readonly WorkCall[]>> = {
    field: [source, claim],
    build: isPublic ? [source, claim] : [blocks, source, claim],
    // What a contributor begins is a draft, which cannot be challenged.
    opposition: free === true ? [source, claim] : [challenge, vote],
    synthesis: [source, item.axis === null ? comparison : claim],
  };
  return calls[lane];
}
