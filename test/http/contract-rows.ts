/** What contract §3 says of gates and rows, written down apart from the code that is tested against it. */

export const gates = [
  'credential',
  'scope',
  'ancestor',
  'tenant',
  'risk',
  'owner_gate',
  'fixed_body',
  'use_budget',
  'payload_ceiling',
];

/** Rows as contract §3 has them: who may call, risk, in `act`, a read, whether a prefix reaches it. */
export const contract: Readonly<
  Record<
    string,
    {
      readonly auth: 'none' | 'share' | 'owner';
      readonly high?: true;
      readonly act?: true;
      readonly safe?: true;
      readonly alone?: true;
      readonly narrows?: true;
      /** Judged with the call that it makes. */
      readonly delegates?: true;
      /** Without a capability for it, the owner has to approve each call. */
      readonly approval?: true;
    }
  >
> = {
  MIRROR_FEED: { auth: 'none', safe: true, act: true },
  PAPER_STATE: { auth: 'none', safe: true, act: true },
  ARTICLE_INSPECT: { auth: 'none', safe: true, act: true },
  OIP_TREE: { auth: 'share', safe: true, act: true },
  CAP_EXPLAIN: { auth: 'share', safe: true, act: true },
  OIP_RECEIPT: { auth: 'share', safe: true, act: true },
  REPO_TAIL: { auth: 'share', safe: true, act: true },
  MIRROR_APPEND: { auth: 'none', act: true },
  OBJECTION_LOG: { auth: 'none', act: true },
  OIP_ARTICLE_REVIEW: { auth: 'none', act: true },
  MODEL_CHAT_INTAKE: { auth: 'none', act: true },
  VOXEL_CHALLENGE: { auth: 'none', act: true },
  VOXEL_ATTEST: { auth: 'none', act: true },
  VOXEL_VOTE: { auth: 'none', act: true },
  THREAD_UPDATE: { auth: 'none', act: true },
  // Contract §7 names the act and no row for it.
  PROOF_CERTIFY: { auth: 'none', act: true },
  CLAIM_POST: { auth: 'share', act: true },
  SOURCE_POST: { auth: 'share', act: true },
  ARTICLE_INGEST: { auth: 'share', act: true },
  ARTICLE_META: { auth: 'share', act: true },
  VOXEL_DIVIDE: { auth: 'share', act: true },
  VOXEL_BATCH: { auth: 'share', act: true },
  OIP_REPLAY: { auth: 'share', act: true, delegates: true },
  OIP_REPAIR: { auth: 'share', act: true, delegates: true },
  PAPER_GROW: { auth: 'share', act: true },
  WEB_FETCH: { auth: 'share', act: true },
  LANDSCAPE_NEXT: { auth: 'share', act: true },
  LANDSCAPE_RETURN: { auth: 'share', act: true, narrows: true },
  CLAIM_RETRACT: { auth: 'share' },
  CLAIM_REPAIR: { auth: 'share' },
  VOXEL_EDIT: { auth: 'share' },
  VOXEL_MOVE: { auth: 'share' },
  VOXEL_CONSOLIDATE: { auth: 'share' },
  // Not in the contract's table: it carries out a vote that a DIV should be split.
  VOXEL_SPLIT: { auth: 'share' },
  VOXEL_BURN: { auth: 'share', high: true, alone: true },
  VOXEL_RATIFY: { auth: 'share', high: true, alone: true },
  LANDSCAPE_QUEUE: { auth: 'share', high: true, alone: true },
  ARTICLE_ASK: { auth: 'owner', high: true },
  KEY_MINT: { auth: 'owner', high: true },
  KEY_REVOKE: { auth: 'owner', high: true },
  OIP_APPROVE: { auth: 'owner', high: true },
  MIRROR_RESOLVE: { auth: 'owner', high: true },
  ARTICLE_REWRITE: { auth: 'owner', high: true },
  ARTICLE_REVERT: { auth: 'owner', high: true },
  THREAD_SETTLE: { auth: 'owner', high: true },
  SECRET_SCRUB: { auth: 'owner', high: true },
  // Not in the contract's table: contract §8 has images served from here.
  IMAGE_STORE: { auth: 'share' },
  // Not in the contract's table: whole articles from elsewhere are the owner's to let in.
  ARTICLE_IMPORT: { auth: 'owner', high: true },
  CREATIVE_GENERATE: { auth: 'none', high: true, approval: true },
  // Behind PUT and PATCH /api/directory/<KEY>.
  DIRECTORY_PUT: { auth: 'owner', high: true },
  DIRECTORY_PATCH: { auth: 'owner', high: true },
  ROW_SECRET: { auth: 'owner', high: true },
  // Nor are these: contract §7 has workspaces, and the owner makes them.
  NOTIFY_PUT: { auth: 'owner', high: true },
  NOTIFY_REMOVE: { auth: 'owner', high: true },
  NOTIFY_TEST: { auth: 'owner', high: true },
  WORKSPACE_CREATE: { auth: 'owner', high: true },
  WORKSPACE_SET: { auth: 'owner', high: true },
  // Not in the contract's table either: contract §5 has the owner mint and rotate it.
  WEBHOOK_SECRET: { auth: 'owner', high: true },
  CAP_MINT: { auth: 'owner', high: true, narrows: true },
  CAP_REVOKE: { auth: 'share', narrows: true },
};
