/** The history of an article (spec §2.1, §4.3): its writes, its revisions, and the entries of all its chains. */
import Type, { type TSchema } from 'typebox';
import { Claim, ClaimView } from './claim.ts';
import type { Answer, Of } from './exact.ts';
import {
  actor,
  alteredPart,
  anything,
  claimId,
  count,
  divId,
  entry,
  hash,
  imported,
  inv,
  list,
  listed,
  oneOf,
  open,
  orNull,
  prev,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  url,
  verification,
  verifications,
} from './parts.ts';
import { RevisedSource } from './source.ts';
import { articleStatuses } from './vocabulary.ts';

const spentMembers = {
  model: orNull(text),
  prompt: orNull(text),
  input: orNull(text),
  response: orNull(text),
  tokens_in: count,
  tokens_out: count,
  cost: Type.Number({ minimum: 0 }),
};
const spent = shape(spentMembers);
/** What a model took and gave for a write. */
export type Spent = Of<typeof spent>;

export const ProvenanceItem = shape({
  ts: time,
  actor,
  action: text,
  rev: orNull(count),
  ...spentMembers,
  change: orNull(open),
  receipt: orNull(inv),
  ...listed,
});
export type ProvenanceItem = Of<typeof ProvenanceItem>;

const energyMembers = {
  passes: count,
  tokens_in: count,
  tokens_out: count,
  tokens_total: count,
  cost_usd: Type.Number({ minimum: 0 }),
  models: Type.Record(Type.String(), count),
};
const energy = shape(energyMembers);
/** What all writes to an article took. */
export type Energy = Of<typeof energy>;
/** The same with the head of the chain that it is counted over. */
export const EnergyView = shape({ ...energyMembers, head: prev });

export const Provenance = read({
  slug,
  provenance: list(ProvenanceItem),
  energy: EnergyView,
  verification,
  imported,
});

/** The entry's members stand at top level too, for readers; `hash` is of `entry` alone. */
const ledgerEntry = Type.Intersect([entry, Type.Object({ log_index: orNull(count), hash, entry })]);
export const Ledger = read({
  slug,
  count,
  total: count,
  entries: list(ledgerEntry),
  next: orNull(url),
  verification: verifications,
});

const rev = Type.Integer({ minimum: 1 });
export const RevisionList = read({
  slug,
  ...alteredPart,
  head: count,
  revisions: list(shape({ rev, ts: time, actor, action: text, note: Type.Optional(text), hash, prev, url })),
});

export const Revision = read({
  slug,
  rev,
  title: text,
  body: text,
  content_hash: hash,
  claims: list(ClaimView),
  sources: list(RevisedSource),
  divs: list(shape({ div_id: divId, vx_hash: hash })),
  status: oneOf(articleStatuses),
  ts: time,
  actor,
  action: text,
  hash,
  prev,
  diff: list(open),
});

/** What happened to an object between two revisions. */
export const comparedChanges = ['added', 'removed', 'changed', 'moved', 'retracted'] as const;
const wordChange = shape({ op: oneOf(['same', 'added', 'removed']), text });
const compared = <S extends TSchema>(object: S) => ({
  change: oneOf(comparedChanges),
  /** The revision that changed it last. */
  rev: orNull(rev),
  receipt: orNull(inv),
  before: orNull(object),
  after: orNull(object),
});

/** Two revisions of an article, compared object by object; `from` is the older one. */
export const RevisionComparison = read({
  slug,
  ...alteredPart,
  from: shape({ rev, ts: time, actor, url }),
  to: shape({ rev, ts: time, actor, url }),
  /** What happened between the two, oldest first. */
  steps: list(
    shape({
      rev,
      ts: time,
      actor,
      action: text,
      note: Type.Optional(text),
      receipt: orNull(inv),
      of: list(text),
      contribution: Type.Optional(shape({ id: text, kind: text, actor: text })),
    }),
  ),
  metadata: list(shape({ name: text, before: anything, after: anything })),
  blocks: list(shape({ id: divId, heading_path: list(text), ...compared(text), diff: list(wordChange) })),
  claims: list(shape({ id: claimId, members: list(text), ...compared(Claim), diff: list(wordChange) })),
  sources: list(shape({ id: sourceId, ...compared(RevisedSource) })),
});
export type RevisionComparison = Answer<typeof RevisionComparison>;
