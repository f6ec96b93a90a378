/** Certifying an inspected proof (contract §7 "proven-work"): open intake, with a receipt like any other. */
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { Certified, CertifyInput } from '../model/proofs.ts';

const proofCertify = defineRow({
  key: 'PROOF_CERTIFY',
  category: 'proof',
  target: 'proof',
  wishes: ['certify that I checked a proof', 'record an inspection of a receipt'],
  contract: {
    what: 'Records an inspection of the proof of an article or a receipt: the head that was inspected, the method, and the outcome (verified, broken or inconclusive). It changes nothing about the proof.',
    when: 'After recomputing a chain or checking a receipt against the signed checkpoint. What an article says is attested by VOXEL_ATTEST.',
    example: 'what-the-ledger-is|verified||colophon verify|All chains were recomputed.|ada',
  },
  input: CertifyInput,
  output: Certified,
  auth: 'none',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: (input) => ({ do: 'certify', input }),
});

export const proofRows: readonly Row[] = [proofCertify];
