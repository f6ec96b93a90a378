/**
 * Evidence that a log signed two histories (contract §6): two checkpoints of one key, and, for trees of different sizes, a
 * consistency proof that leads to the newer root from another old root than the one that was signed. It proves the fork
 * without further data. Everything in the file is an attacker's until it has been checked.
 */
import { equal, fromBase64, hex, utf8, type Bytes } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import { mlDsaType, noteType, parseKey, type VerifierKey } from './cosignature.ts';
import { canonical, isRecord, parseDocument, type Json, type JsonRecord } from './json.ts';
import { consistencyRoots, hashBytes, rootOf } from './merkle.ts';
import { isOf, isSameKey, openCheckpoint, splitNote } from './note.ts';
import { parsePolicy, trustOf, type Trust, type Trusted } from './policy.ts';
import { attempt, failed, InvalidEvidence, passed, reportOf, type Check, type Report } from './report.ts';
import { shownName } from './shown-name.ts';

export const evidenceBytesMax = 64 * 1024;

/** 63 hashes, and the old root in front of them. */
const proofHashesMax = 64;

const members = new Set(['evidence', 'key', 'checkpoints', 'proof']);

/** Whether a document says that it is evidence against a log. */
export function isEvidence(document: Json): document is JsonRecord {
  return isRecord(document) && document['evidence'] === 1;
}

export function isEvidenceText(text: string): boolean {
  try {
    return text.length <= evidenceBytesMax && isEvidence(parseDocument(text));
  } catch {
    return false;
  }
}

/** What logs sign with. */
const logTypes = [noteType, mlDsaType];

/**
 * Whether an evidence file proves that its key signed a fork; `ok` if it does. The key must be the trusted one, or a log of the trusted
 * policy; without either, the report says that the file itself names the key.
 */
export async function verifyEvidence(evidence: Json, trusted?: Trusted): Promise<Report> {
  const checks: Check[] = [];
  await attempt(checks, undefined, async () => {
    const { key: text, checkpoints, proof } = readFile(evidence);
    const key = await parseKey(text, logTypes);
    const name = shownName(key.name);
    checks.push(await checkKey(key, trustOf(trusted)));
    const [first, second] = [await signed(checkpoints[0], key, 0), await signed(checkpoints[1], key, 1)];
    checks.push(passed('signature', `the key of ${name} signed both checkpoints`));
    const missing = await whyNoContradiction(first, second, proof);
    checks.push(
      missing === undefined
        ? passed('fork', `the key of ${name} signed two histories: ${toText(first)}, and ${toText(second)}`)
        : failed('fork', `it proves no fork: ${missing}`),
    );
  });
  return reportOf(checks);
}

/**
 * The text of an evidence file about two notes that `key` signed, the smaller tree first; of notes that would not fit, only
 * the signature of the key is kept. Whether it proves a fork is for `verifyEvidence` to say.
 */
export function formatEvidence(
  verifierKey: string,
  key: VerifierKey,
  notes: readonly [string, string],
  proof: readonly Uint8Array[] | undefined,
): string {
  const textOf = (checkpoints: readonly string[]): string => {
    const hashes = proof?.map((hash) => btoa(String.fromCodePoint(...hash)));
    return `${JSON.stringify({ evidence: 1, key: verifierKey, checkpoints, proof: hashes }, undefined, 2)}\n`;
  };
  const whole = textOf(notes);
  return utf8(whole).length <= evidenceBytesMax
    ? whole
    : textOf(notes.map((note) => signedByOnly(note, key)));
}

/** A note without the signatures of other keys. */
function signedByOnly(note: string, key: VerifierKey): string {
  const { text, signatures } = splitNote(note);
  const lines = signatures
    .filter((each) => isOf(each, key))
    .map(({ name, bytes }) => `\u2014 ${name} ${btoa(String.fromCodePoint(...bytes))}\n`);
  return `${text}\n${lines[0] ?? ''}`;
}

interface EvidenceFile {
  readonly key: string;
  readonly checkpoints: readonly [string, string];
  readonly proof: readonly Bytes[] | undefined;
}

/** Reads the form of the file; nothing of what it says is verified yet. */
function readFile(evidence: Json): EvidenceFile {
  const wrong = (reason: string): InvalidEvidence => new InvalidEvidence('evidence', reason);
  const text = typeof evidence === 'string' ? evidence : canonical(evidence);
  if (text.length > evidenceBytesMax || utf8(text).length > evidenceBytesMax)
    throw wrong(`the evidence is larger than ${evidenceBytesMax} bytes`);
  const value = typeof evidence === 'string' ? parsed(evidence) : evidence;
  if (!isEvidence(value)) throw wrong('the document has no "evidence": 1');
  const unknown = Object.keys(value).find((name) => !members.has(name));
  if (unknown !== undefined) throw wrong(`the member ${JSON.stringify(unknown.slice(0, 40))} is unknown`);
  const { key, checkpoints, proof } = value;
  if (typeof key !== 'string') throw wrong('"key" is not a text');
  const notes = Array.isArray(checkpoints) ? (checkpoints as readonly Json[]) : [];
  const [first, second] = notes;
  if (notes.length !== 2 || typeof first !== 'string' || typeof second !== 'string')
    throw wrong('"checkpoints" is not a list of two signed notes');
  return { key, checkpoints: [first, second], proof: proof === undefined ? undefined : hashesIn(proof) };
}

function parsed(text: string): Json {
  try {
    return parseDocument(text);
  } catch (error) {
    throw new InvalidEvidence('evidence', `the evidence is not JSON: ${(error as Error).message}`);
  }
}

function hashesIn(proof: Json): readonly Bytes[] {
  if (!Array.isArray(proof) || proof.length > proofHashesMax)
    throw new InvalidEvidence('evidence', `"proof" is not a list of at most ${proofHashesMax} hashes`);
  return (proof as readonly Json[]).map((line, i) => {
    const hash = typeof line === 'string' ? fromBase64(line) : undefined;
    if (hash?.length !== hashBytes)
      throw new InvalidEvidence('evidence', `hash ${i} of "proof" is not ${hashBytes} bytes of base64`);
    return hash;
  });
}

/** Whose word it is that this key is the log's. */
async function checkKey(key: VerifierKey, { verifierKey, policy: file }: Trust): Promise<Check> {
  const name = shownName(key.name);
  const logs = file === undefined ? [] : (await parsePolicy(file)).logs;
  if (verifierKey !== undefined && !isSameKey(await parseKey(verifierKey, logTypes), key))
    return failed('key', `the evidence is about another key of ${name} than the given one`);
  if (logs.length > 0 && !logs.some((log) => isSameKey(log, key)))
    return failed('key', `the policy does not name this key of ${name}`);
  if (verifierKey !== undefined) return passed('key', `the key of ${name} was given`);
  return passed(
    'key',
    logs.length > 0 ? `the key of ${name} is that of the policy` : `the file itself names the key of ${name}`,
  );
}

async function signed(note: string, key: VerifierKey, i: number): Promise<Checkpoint> {
  try {
    return await openCheckpoint(note, key);
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    throw new InvalidEvidence(error.id, `the ${i === 0 ? 'first' : 'second'} checkpoint: ${error.message}`);
  }
}

/** Why nothing shows that two signed checkpoints contradict each other; undefined where they do. */
async function whyNoContradiction(
  first: Checkpoint,
  second: Checkpoint,
  proof: readonly Bytes[] | undefined,
): Promise<string | undefined> {
  if (first.size > second.size) return 'the first checkpoint is of the larger tree; swap the two';
  const needsProof = first.size > 0 && first.size < second.size;
  if (!needsProof && proof !== undefined)
    return `the sizes ${first.size} and ${second.size} need no proof, and there is one`;
  if (first.size === second.size)
    return equal(first.root, second.root) ? 'both checkpoints have the same size and root' : undefined;
  if (first.size === 0)
    return equal(first.root, await rootOf([])) ? 'every history begins with no entries' : undefined;
  if (proof === undefined) return 'checkpoints of two sizes need a proof, and there is none';
  const led = await consistencyRoots(first.size, second.size, proof);
  if (led === undefined)
    return `the proof is not as long as one from ${first.size} to ${second.size} entries`;
  if (!equal(led.second, second.root)) return 'the proof does not lead to the root of the second checkpoint';
  return equal(led.first, first.root) ? 'the second history begins with the first one' : undefined;
}

function toText({ size, root }: Checkpoint): string {
  return `${size} ${size === 1 ? 'entry' : 'entries'} with root ${hex(root)}`;
}
