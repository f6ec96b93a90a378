/**
 * Receipts and confirmations: the entries form one complete chain named after the invocation; the members beside them match
 * the entries; request, response and material match their commitments; the newest entry is in the log under a signed
 * checkpoint, so that no entry can have been added.
 */
import { fromHex, hex } from './bytes.ts';
import { checkChains, parseLink, type Link } from './chain.ts';
import { checkSalted } from './content.ts';
import { Coverage } from './coverage.ts';
import { canonical, isRecord, parseDocument, type Json, type JsonRecord } from './json.ts';
import { leafHash } from './merkle.ts';
import { lacksQuorum, trustOf, type Trust, type Trusted } from './policy.ts';
import { checkProof, parseProof, uncoveredIn } from './proof.ts';
import { checkReceiptFields, kindOfReceipt } from './receipt-fields.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';

/** A receipt, a confirmation, or a part of one that was kept. */
export function isReceipt({ id, proof }: JsonRecord): boolean {
  return typeof id === 'string' && id.startsWith('inv_') && proof !== undefined;
}

/** `receipt` as JSON text or parsed; trusted is the log's verifier key, `name+hash+key`, or a policy as well. */
export async function verifyReceipt(receipt: Json, trusted?: Trusted): Promise<Report> {
  const trust = trustOf(trusted);
  let value = receipt;
  try {
    if (typeof receipt === 'string') value = parseDocument(receipt);
  } catch (error) {
    return reportOf([failed('document', `the receipt is not JSON: ${(error as Error).message}`)]);
  }
  if (!isRecord(value)) return reportOf([failed('document', 'the receipt is not a JSON object')]);
  const links = linksIn(value['entries']);
  const entries = inOrder(links).map(({ entry }) => entry);
  const coverage = new Coverage();
  const checks = await checkEntries(value, links, coverage);
  for (const [side, shownAs] of Object.entries(contents)) {
    const part = value[side];
    if (part === undefined) continue;
    if (!isRecord(part)) {
      checks.push(failed(side, `the ${side} is not shown with its commitment`));
      continue;
    }
    checks.push(await checkSalted(side, part[shownAs], part['salt'], part['content_sha'], entries));
    checks.push(...checkState(side, part, entries));
    coverage.members(part, 'content_sha');
    // Scrubbed and redacted content are both absent, and the receipt does not distinguish them.
    if (typeof part['salt'] === 'string' || typeof part['content_sha'] !== 'string')
      coverage.members(part, shownAs, 'salt', 'state');
  }
  checks.push(...(await checkProven(value, links, trust, undefined, coverage)));
  checks.push(...(await checkNewest(value, links, trust, coverage)));
  if (!checks.some(({ id }) => id === 'quorum')) checks.push(...(await lacksQuorum(trust)));
  return reportOf(checks, coverage.uncovered(value));
}

/** Contents that a receipt shows with their commitments, and the member that holds each. */
const contents = { request: 'body', response: 'result', said: 'words', material: 'items' } as const;

/** Whether a content is said to be there, gone, withheld or never committed to. */
function checkState(side: string, part: JsonRecord, entries: readonly JsonRecord[]): Check[] {
  const { state, salt, content_sha: committed } = part;
  if (state === undefined) return [];
  const gone = entries[0]?.['withheld'] === true ? 'withheld' : 'scrubbed';
  const expected = typeof salt === 'string' ? 'present' : typeof committed === 'string' ? gone : 'none';
  return state === expected
    ? []
    : [failed(side, `the ${side} is shown as if it were ${String(state)}, and is ${expected}`)];
}

function linksIn(entries: Json | undefined): Link[] {
  const list = Array.isArray(entries) ? (entries as readonly Json[]) : [];
  return list.flatMap((item, i) =>
    isRecord(item) && item['entry'] === undefined ? (parseLink(item, `entries[${i}]`) ?? []) : [],
  );
}

function inOrder(links: readonly Link[]): Link[] {
  return links.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n']));
}

async function checkEntries(
  receipt: JsonRecord,
  links: readonly Link[],
  coverage: Coverage,
): Promise<Check[]> {
  const { id, entries } = receipt;
  if (!Array.isArray(entries) || entries.length === 0) return [failed('chain', 'no entry is listed')];
  if (links.length < entries.length)
    return [failed('chain', `${entries.length - links.length} of ${entries.length} entries are not entries`)];
  const checks = await checkChains(links);
  if (checks.length > 1) checks.push(failed('chain', `the entries are of ${checks.length} chains, not one`));
  const chain = links[0]?.entry['chain'] as string;
  if (typeof id !== 'string') checks.push(failed('id', 'the receipt has no id'));
  else if (chain === id) checks.push(passed('id', `the entries are those of ${id}`));
  else checks.push(failed('id', `the entries are of chain ${chain}, not of ${id}`));
  checks.push(
    ...checkReceiptFields(
      receipt,
      inOrder(links).map(({ entry }) => entry),
      coverage,
    ),
  );
  coverage.members(receipt, 'id');
  coverage.whole(entries);
  const isPart = kindOfReceipt(receipt) === 'part';
  if (!isPart && entries.some((entry, i) => isRecord(entry) && entry['n'] !== i))
    checks.push(failed('chain', 'the entries do not stand in the order of their chain, each once'));
  return checks;
}

/**
 * An entry covers all before it, and none behind it: where one was appended to the proven one, such as that the call
 * was repaired, `latest` proves the newest. Without it forged entries could be added to a real receipt.
 */
async function checkNewest(
  receipt: JsonRecord,
  links: readonly Link[],
  trust: Trust,
  coverage: Coverage,
): Promise<Check[]> {
  const { proof, latest } = receipt;
  const newest = inOrder(links).at(-1);
  if (newest === undefined || !isRecord(proof)) return [];
  if (isRecord(latest)) {
    if (latest['entry_hash'] === newest.hash)
      return checkProven({ proof: latest }, links, trust, 'latest', coverage);
    return [failed('proof', 'the latest entry that is proven is not the newest of those listed', 'latest')];
  }
  const proven = links.find(({ hash }) => hash === proof['entry_hash']);
  if (proven === undefined || proven.hash === newest.hash) return [];
  return [
    failed(
      'proof',
      `entry ${String(proven.entry['n'])} is proven; nothing shows that those behind it are in the log`,
    ),
  ];
}

/** The `proof` member of a receipt, a confirmation or a dispatch answer. */
export async function checkProven(
  holder: JsonRecord,
  links: readonly Link[] | undefined,
  trust: Trust,
  at: string | undefined,
  coverage: Coverage,
): Promise<Check[]> {
  const { proof } = holder;
  if (!isRecord(proof)) return [failed('proof', 'there is no proof', at)];
  const leaf = await checkProvenEntry(proof, links, at);
  if (!('bytes' in leaf)) return [leaf];
  const tlogProof = proof['tlog_proof'];
  if (typeof tlogProof !== 'string') {
    return [
      leaf.check,
      failed('inclusion', 'the log has not integrated the entry yet; fetch the receipt again', at),
    ];
  }
  const checks = [leaf.check, ...(await checkProof(tlogProof, trust, leaf.bytes, at))];
  const index = proof['log_index'];
  coverage.members(proof, 'entry', 'entry_hash', 'tlog_proof', 'log_index');
  if (!checks.every((check) => check.ok)) return checks;
  const { index: proven } = parseProof(tlogProof);
  if (proven !== index)
    checks.push(failed('log_index', `the receipt says log index ${String(index)}, the proof ${proven}`, at));
  const place = at === 'latest' ? at : [...(at === undefined || at === '' ? [] : [at]), 'proof'].join('.');
  for (const part of await uncoveredIn(tlogProof, trust, `${place}.tlog_proof`))
    coverage.name(part.replaceAll(/\[\d+\]/g, '[]'));
  return checks;
}

type Leaf = { readonly bytes: Uint8Array<ArrayBuffer>; readonly check: Check };

async function checkProvenEntry(
  proof: JsonRecord,
  links: readonly Link[] | undefined,
  at?: string,
): Promise<Leaf | Check> {
  const { entry, entry_hash: claimed } = proof;
  const claimedBytes = typeof claimed === 'string' ? fromHex(claimed) : undefined;
  if (claimedBytes?.length !== 32) return failed('entry', 'the proof names no entry hash', at);
  if (links !== undefined && !links.some((link) => link.hash === claimed))
    return failed('entry', 'the proven entry is none of those listed', at);
  // Without the entry it is its hash that is proven.
  if (entry === undefined || entry === null)
    return { bytes: claimedBytes, check: passed('entry', `the entry's hash is ${String(claimed)}`, at) };
  if (!isRecord(entry)) return failed('entry', 'the proven entry is not an object', at);
  const { hash: _own, ...hashed } = entry;
  let bytes;
  try {
    bytes = await leafHash(canonical(hashed));
  } catch (error) {
    return failed('entry', `the proven entry has no canonical text: ${(error as Error).message}`, at);
  }
  if (hex(bytes) !== claimed)
    return failed('entry', `the proven entry hashes to ${hex(bytes)}, not to ${String(claimed)}`, at);
  return {
    bytes,
    check: passed(
      'entry',
      `entry ${String(entry['n'])} of chain ${String(entry['chain'])} hashes to ${hex(bytes)}`,
      at,
    ),
  };
}
