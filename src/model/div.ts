/** DIVs, the blocks of an article (spec §2.4, contract §5): as reads show them, and what the rows that write them answer. */
import Type from 'typebox';
import type { Of } from './exact.ts';
import {
  count,
  divId,
  entry,
  flag,
  hash,
  inv,
  list,
  oneOf,
  open,
  openedEntry,
  ranged,
  orNull,
  read,
  shape,
  slug,
  text,
  url,
  verifications,
} from './parts.ts';
import { divStatuses } from './vocabulary.ts';

const hashedEntries = list(Type.Intersect([entry, Type.Object({ op: text, text_sha: hash, hash })]));
/** Entries of a DIV's own chain, each with its hash. */
export type DivEntries = Of<typeof hashedEntries>;

/** The text is the replacement of a scrubbed one; the chain names the entry that commits to it. */
const scrubbedBy = Type.Optional(text);
const members = {
  div_id: divId,
  kind: text,
  text,
  sep: text,
  status: oneOf(divStatuses),
  vx_hash: hash,
  permalink: url,
};

export const DivView = shape({
  ...members,
  order: orNull(Type.Integer({ minimum: 1 })),
  scrubbed_by: scrubbedBy,
  heading_path: list(text),
  chain: hashedEntries,
});
export type DivView = Of<typeof DivView>;

/** Where a DIV is in the body, in bytes of UTF-8, and its entries; null where it left the article. */
export const DivEvidence = shape({
  div_id: divId,
  start: orNull(count),
  end: orNull(count),
  scrubbed_by: scrubbedBy,
  chain: hashedEntries,
});
export type DivEvidence = Of<typeof DivEvidence>;

export const DivList = read({
  slug,
  version: Type.Integer({ minimum: 1 }),
  lead: text,
  divs: list(DivView),
  scrubs: list(openedEntry),
  verification: verifications,
  ...ranged,
});

const revision = Type.Integer({ minimum: 1 });
const written = { slug, revision, permalink: url };
const chainEntry = Type.Intersect([entry, Type.Object({ op: text, text_sha: hash, inv, hash })]);
export type ChainEntry = Of<typeof chainEntry>;
const divWritten = { ...written, chain_entry: chainEntry, body_regenerated: flag };

/** As a write answers it. */
export const DivWritten = shape(members);
export type DivWritten = Of<typeof DivWritten>;
/** Where a write put a DIV. */
export const DivPlace = shape({ div_id: divId, vx_hash: hash, permalink: url });
export type DivPlace = Of<typeof DivPlace>;

/** What VOXEL_DIVIDE answers. */
export const Divided = shape({
  ...written,
  unchanged: flag,
  body_regenerated: flag,
  divs: list(shape({ div_id: divId, order: revision, kind: text, vx_hash: hash, permalink: url })),
});
/** What VOXEL_EDIT answers. */
export const DivEdited = shape({ ...divWritten, div: DivWritten, separators: Type.Optional(list(open)) });
/** What VOXEL_MOVE answers. */
export const DivMoved = shape({ ...divWritten, div: DivWritten, order: revision });
/** What VOXEL_SPLIT answers. */
export const DivSplit = shape({ ...divWritten, divs: list(DivWritten) });
/** What VOXEL_CONSOLIDATE answers. */
export const DivsConsolidated = shape({ ...divWritten, div: DivWritten, absorbed: list(divId) });
/** What VOXEL_BURN answers. */
export const DivsBurned = shape({
  ...divWritten,
  divs: list(shape({ div_id: divId, status: Type.Literal('burned'), vx_hash: hash, permalink: url })),
});
