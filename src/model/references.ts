/** Global references and the description of the protocol (spec §2.11, §4.3). */
import { protocolName, protocolVersion } from './vocabulary.ts';
import Type from 'typebox';
import type { Of } from './exact.ts';
import { count, flag, list, oneOf, orNull, read, shape, slug, text, tier, url, weight } from './parts.ts';

export const constitutionMembers = {
  version: Type.Literal(3),
  slots: list(shape({ slot: text, required: flag, about: text, tier: orNull(text) })),
  rules: list(text),
  claim_chars_max: Type.Integer({ minimum: 1 }),
};

export const llmManifestMembers = {
  version: Type.Literal('1'),
  precedence: text,
  untrusted: text,
  start: url,
  read: list(url),
  templates: list(
    Type.String({ pattern: '^https?://[^\\s]*\\{[a-z]+\\}', description: 'placeholders in braces' }),
  ),
  proof: text,
};

export const constitution = read(constitutionMembers);
export const llmManifest = read(llmManifestMembers);

export const ontology = read({
  tiers: list(shape({ tier, weight })),
  claim_statuses: list(text),
  div_statuses: list(text),
  article_statuses: list(text),
  evidence_classes: list(text),
  platforms: list(text),
  software_classes: list(text),
  contribution_kinds: list(text),
  stances: list(text),
  surfaces: list(text),
  attest_outcomes: list(text),
  vote_proposals: list(text),
  vote_decisions: list(text),
  review_verdicts: list(text),
  relations: list(text),
  question_statuses: list(text),
});

export const systemMap = read({
  systems: list(shape({ name: text, what: text, read: url, write: orNull(url) })),
});

export const protocol = read({
  protocol: Type.Literal(protocolName),
  version: Type.Literal(protocolVersion),
  systems: list(
    shape({
      name: text,
      rows: list(
        shape({
          key: text,
          what: text,
          contract: text,
          auth: text,
          risk: text,
          safe: flag,
          read: url,
        }),
      ),
    }),
  ),
});

const need = shape({
  kind: oneOf(['answer_objection', 'bring_evidence', 'cite_source', 'state_claim']),
  article: slug,
  about: text,
  why: text,
  url,
  method: Type.Literal('POST'),
  post_to: url,
  auth: oneOf(['none', 'share']),
  payload: Type.Record(Type.String(), text),
});
/** What an article lacks, with a payload that anybody may send. */
export type Need = Of<typeof need>;
export const Grow = read({
  count,
  /** How many needs the articles have that were looked at. */
  total: count,
  /** There are more needs, or more articles, than were looked at. */
  truncated: flag,
  looked_at: shape({ articles: count, order: Type.Literal('last changed') }),
  needs: list(need),
});
