/**
 * The standalone verifier (contract §6): what an auditor runs, in Node or a browser, without any of the
 * server's code. It answers with checks, not exceptions; only a broken network or platform throws.
 */
export { canonical, parse, parseDocument, type Json, type JsonRecord } from './json.ts';
export { leafHash, nodeHash, rootOf, verifyConsistency, verifyInclusion } from './merkle.ts';
export { openCheckpoint, openNote, parseVerifierKey, type Checkpoint, type VerifierKey } from './note.ts';
export { parseProof, verifyProofText, type TlogProof } from './proof.ts';
export { verifyReceipt } from './receipt.ts';
export { verifyBundle, verifyChainList } from './document.ts';
export type { LogFetch } from './files.ts';
export { verifyLogAt, type LogOptions } from './log.ts';
export type { Check, Report } from './report.ts';
