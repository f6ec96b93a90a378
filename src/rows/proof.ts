/** Certifying an inspected proof (contract §7 "proven-work"): open intake, with a receipt like any other. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { optionalActor, optionalWords, words } from '../model/arguments.ts';
import { inspectionOutcomes } from '../model/vocabulary.ts';
import { Certified } from '../model/proofs.ts';

const proofCertify = defineRow({
  key: 'PROOF_CERTIFY',
  category: 'proof',
  target: 'proof',
  contract: {
    what: 'Records that somebody inspected the proof of an article or a receipt, at which head, by which method, and whether it was found verified, broken or inconclusive. It changes nothing about the proof.',
    when: 'After recomputing a chain or checking a receipt against the signed checkpoint.',
    example: 'what-the-ledger-is|verified||colophon verify|All chains were recomputed.|ada',
  },
  input: Type.Object(
    {
      target: words(120, 'the slug of an article, or an invocation id'),
      outcome: Type.Union(
        inspectionOutcomes.map((outcome) => Type.Literal(outcome)),
        { description: inspectionOutcomes.join(', ') },
      ),
      head: optionalWords(64, 'hash of the newest entry that was inspected; the current one when left out'),
      method: optionalWords(300, 'how it was inspected'),
      note: optionalWords(4000, 'what was found'),
      actor: optionalActor,
    },
    { additionalProperties: false },
  ),
  output: Certified,
  auth: 'none',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: (input) => ({ do: 'certify', input }),
});

export const proofRows: readonly Row[] = [proofCertify];
