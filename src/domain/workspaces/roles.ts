/**
 * Roles of a workspace (contract §7): each a set of rows. `observer` and `contributor` are open to everybody where the
 * workspace is; the others are given by an invitation, a share that the owner minted for the role.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { roleNames, type Role } from '../../model/vocabulary.ts';

/** Rows that a share can be cut for without a key (spec §2.6.1). */
export const publicKeys = ['OBJECTION_LOG', 'OIP_ARTICLE_REVIEW', 'MODEL_CHAT_INTAKE', 'ARTICLE_INSPECT'];

/** What /start grants: what a contributor does with one article or claim (contract §7). */
export const startKeys = [...publicKeys, 'MIRROR_APPEND', 'VOXEL_CHALLENGE'];

const contributing = [...startKeys, 'LANDSCAPE_NEXT', 'MIRROR_FEED'];
const reviewing = [
  ...contributing,
  'PAPER_STATE',
  'PROOF_CERTIFY',
  'THREAD_UPDATE',
  'VOXEL_ATTEST',
  'VOXEL_VOTE',
];
const editing = [
  ...reviewing,
  'ARTICLE_INGEST',
  'ARTICLE_META',
  'CLAIM_POST',
  'CLAIM_REPAIR',
  'CLAIM_RETRACT',
  'SOURCE_POST',
  'VOXEL_BATCH',
  'VOXEL_CONSOLIDATE',
  'VOXEL_DIVIDE',
  'VOXEL_EDIT',
  'VOXEL_MOVE',
  'VOXEL_SPLIT',
];

export const roles = {
  observer: {
    keys: ['ARTICLE_INSPECT'],
    open: true,
    risk: 'low',
    may: 'reads what is public, and keeps receipts of its own readings',
  },
  contributor: {
    keys: contributing,
    open: true,
    risk: 'low',
    may: 'objects, reviews, contributes to claims and adds notes through open intake, and takes up assignments of the landscape',
  },
  reviewer: {
    keys: reviewing,
    open: false,
    risk: 'low',
    may: 'challenges, attests, votes and certifies as well; by invitation of the owner',
  },
  editor: {
    keys: editing,
    open: false,
    risk: 'low',
    may: 'writes claims, sources and text; by invitation of the owner',
  },
  owner: {
    keys: [...editing, 'LANDSCAPE_QUEUE', 'VOXEL_BURN', 'VOXEL_RATIFY'],
    open: false,
    risk: 'high',
    may: 'decides votes and takes text out as well; by invitation of the owner of the deployment',
  },
} as const satisfies Readonly<Record<Role, object>>;

export function readRole(given: string): Role | Fault {
  if (Object.hasOwn(roles, given)) return given as Role;
  return fault(
    'invalid_request',
    `"${given.slice(0, 40)}" is no role.`,
    `Use one of ${roleNames.join(', ')}.`,
    {
      parameter: 'role',
    },
  );
}
