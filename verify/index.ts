/**
 * The standalone verifier (contract §6) for Node and browsers; it shares no code with the server. It returns checks; only
 * network and platform failures throw.
 */
export { canonical, parse, parseDocument, type Json, type JsonRecord } from './json.ts';
export { leafHash, nodeHash, rootOf, verifyConsistency, verifyInclusion } from './merkle.ts';
export type { Checkpoint } from './checkpoint.ts';
export type { VerifierKey } from './cosignature.ts';
export { openCheckpoint, openNote, parseVerifierKey } from './note.ts';
export { parsePolicy, type Policy, type Trust, type Trusted } from './policy.ts';
export { parseProof, verifyProofText, type TlogProof } from './proof.ts';
export { verifyReceipt } from './receipt.ts';
export { verifyBundle, verifyChainList } from './document.ts';
export { shownName } from './shown-name.ts';
export { verifyEvidence } from './evidence.ts';
export type { LogFetch } from './files.ts';
export { verifyCheckpoint, verifyLogAt, type LogOptions } from './log.ts';
export type { Check, Report, WitnessFinding, Witnessing } from './report.ts';
