/** What can be inspected, and who has (spec §4.2, contract §7 "proven-work"). */
import Type from 'typebox';
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
import { inspectionOutcomes } from './vocabulary.ts';

const certifications = shape({ verified: count, broken: count, inconclusive: count, read: url });

export const provenWork = read({
  count,
  objects: list(
    shape({
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
    }),
  ),
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
  head: hash,
  outcome: oneOf(inspectionOutcomes),
  method: text,
  note: text,
  actor,
  name: orNull(text),
  ts: time,
  receipt: inv,
};

/** A certificate as the act that records it answers. */
export const bareCertificate = shape(certificateMembers);

export const certificates = read({
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
