/** The bundle (spec §4.3, contract §5): an article as one portable package that verifies by itself. */
import Type from 'typebox';
import { metaMembers, status } from './article.ts';
import { ClaimView } from './claim.ts';
import { BundledContribution } from './contribution.ts';
import { BundledPost } from './discourse.ts';
import { DivView } from './div.ts';
import type { Answer } from './exact.ts';
import { ProvenanceItem } from './history.ts';
import {
  count,
  hash,
  list,
  openedEntry,
  orNull,
  read,
  shape,
  slug,
  text,
  url,
  verifications,
} from './parts.ts';
import { QuestionSlice } from './question.ts';
import { constitutionMembers, llmManifestMembers } from './references.ts';
import { SourceView } from './source.ts';

const members = {
  bundle_version: Type.Literal(1),
  slug,
  title: text,
  status,
  version: Type.Integer({ minimum: 1 }),
  content_hash: hash,
  meta: shape(metaMembers),
  body: text,
  lead: text,
  claims: list(ClaimView),
  sources: list(SourceView),
  contributions: list(BundledContribution),
  discourse: list(BundledPost),
  question_graph: QuestionSlice,
  constitution: shape(constitutionMembers),
  llm_manifest: shape(llmManifestMembers),
  verification: verifications,
  counts: shape({
    divs: count,
    claims: count,
    sources: count,
    provenance: count,
    contributions: count,
    discourse: count,
  }),
  origin: shape({
    base: url,
    log: text,
    verifier_key: text,
    checkpoint: orNull(text),
    inclusion: orNull(list(text)),
    article: url,
  }),
};

export const Bundle = read({
  ...members,
  voxels: list(DivView),
  provenance: list(ProvenanceItem),
  chains: Type.Record(Type.String(), list(openedEntry)),
});
export type Bundle = Answer<typeof Bundle>;

/** Counts of DIVs and writes, no entries. */
export const SlimBundle = read({
  ...members,
  voxels: shape({ count, inactive: count }),
  provenance: shape({ count }),
});
export type SlimBundle = Answer<typeof SlimBundle>;
