/** What can be inspected, and who has (spec §4.2, contract §7 "proven-work"). */
import Type from 'typebox';
import { optionalActor, optionalWords, words } from './arguments.ts';
import type { Of } from './exact.ts';
import {
  actor,
  count,
  hash,
  inv,
  list,
  oneOf,
  orNull,
  prev,
  read,
  shape,
  slug,
  text,
  time,
  url,
} from './parts.ts';
import { inspectionOutcomes, type InspectionOutcome } from './vocabulary.ts';

/** What PROOF_CERTIFY takes. */
export const CertifyInput = Type.Object(
  {
    target: words(120, 'the slug of an article, or an invocation id'),
    outcome: Type.Unsafe<InspectionOutcome>(
      Type.Union(
        inspectionOutcomes.map((outcome) => Type.Literal(outcome)),
        { description: inspectionOutcomes.join(', ') },
      ),
    ),
    head: optionalWords(64, 'hash of the newest entry that was inspected; the current one when left out'),
    method: optionalWords(300, 'how it was inspected'),
    note: optionalWords(4000, 'what was found'),
    actor: optionalActor,
  },
  { additionalProperties: false },
);
export type CertifyInput = Of<typeof CertifyInput>;

const certifications = shape({ verified: count, broken: count, inconclusive: count, read: url });

export type Certifications = Of<typeof certifications>;

const provenObject = shape({
  kind: Type.Literal('article'),
  id: slug,
  version: count,
  head: orNull(hash),
  chain_head: orNull(hash),
  certifications,
  receipt: orNull(inv),
  confirm: orNull(url),
  log_index: orNull(count),
  inspect: list(url),
});
export type ProvenObject = Of<typeof provenObject>;
export const ProvenWork = read({
  count,
  objects: list(provenObject),
  next: orNull(url),
  certify: url,
  templates: list(text),
  checkpoint: url,
  verifier_key: url,
  how: text,
  note: text,
});

const certificateMembers = {
  id: Type.String({ pattern: '^cert_[a-z2-7]{16}$' }),
  kind: oneOf(['article', 'receipt']),
  target: text,
  /** Of the newest entry of the chain that was inspected. */
  head: hash,
  outcome: oneOf(inspectionOutcomes),
  method: text,
  note: text,
  actor,
  /** Self-typed; display metadata. */
  name: orNull(text),
  ts: time,
  receipt: inv,
};

/** What the ledger keeps of an inspection. */
export const Certificate = shape(certificateMembers);
export type Certificate = Of<typeof Certificate>;

export const CertificateList = read({
  target: text,
  count,
  certifications,
  certificates: list(
    shape({
      ...certificateMembers,
      confirm: url,
      prev,
      hash,
    }),
  ),
  next: orNull(url),
});

/** What PROOF_CERTIFY answers. */
export const Certified = shape({
  slug: Type.Optional(slug),
  certificate_id: text,
  certificate: Certificate,
  permalink: url,
});
