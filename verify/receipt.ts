/**
 * A receipt: its entries are one whole chain, named after the invocation; the request, the response and the
 * list of what came of it are what those entries commit to; and the entry it proves is in the log under a signed checkpoint.
 */
import { fromHex, hex } from './bytes.ts';
import { checkChains, linkOf, type Link } from './chain.ts';
import { checkSalted } from './content.ts';
import { canonical, isRecord, parse, type Json, type JsonRecord } from './json.ts';
import { leafHash } from './merkle.ts';
import { checkProof, parseProof } from './proof.ts';
import { failed, passed, reportOf, type Check, type Report } from './report.ts';

/** `receipt` as JSON text or parsed; `verifierKey` is the log's, `name+hash+key`. */
export async function verifyReceipt(receipt: Json, verifierKey?: string): Promise<Report> {
  let value = receipt;
  try {
    if (typeof receipt === 'string') value = parse(receipt);
  } catch (error) {
    return reportOf([failed('document', `the receipt is not JSON: ${(error as Error).message}`)]);
  }
  if (!isRecord(value)) return reportOf([failed('document', 'the receipt is not a JSON object')]);
  const links = linksIn(value['entries']);
  const entries = links.map(({ entry }) => entry);
  const checks: Check[] = [];
  if (Array.isArray(value['entries'])) {
    checks.push(...(await checkEntries(value, links)));
    for (const side of ['request', 'response', 'material'] as const) {
      const part = value[side];
      if (!isRecord(part)) continue;
      const content = part[shownAs[side]];
      checks.push(await checkSalted(side, content, part['salt'], part['content_sha'], entries));
    }
  }
  checks.push(...(await checkProven(value, links, verifierKey)));
  return reportOf(checks);
}

const shownAs = { request: 'body', response: 'result', material: 'items' } as const;

function linksIn(entries: Json | undefined): Link[] {
  const list = Array.isArray(entries) ? (entries as readonly Json[]) : [];
  return list.flatMap((item, i) => (isRecord(item) ? (linkOf(item, `entries[${i}]`) ?? []) : []));
}

async function checkEntries(receipt: JsonRecord, links: readonly Link[]): Promise<Check[]> {
  const listed = (receipt['entries'] as readonly Json[]).length;
  if (listed === 0) return [failed('chain', 'no entry is listed')];
  if (links.length < listed)
    return [failed('chain', `${listed - links.length} of ${listed} entries are not entries`)];
  const checks = await checkChains(links);
  if (checks.length > 1) checks.push(failed('chain', `the entries are of ${checks.length} chains, not one`));
  const { id } = receipt;
  const chain = links[0]?.entry['chain'] as string;
  if (typeof id !== 'string') checks.push(failed('id', 'the receipt has no id'));
  else if (chain === id || chain.endsWith(`:${id}`) || chain.endsWith(`/${id}`))
    checks.push(passed('id', `the entries are those of ${id}`));
  else checks.push(failed('id', `the entries are of chain ${chain}, not of ${id}`));
  const inOrder = links.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n']));
  for (const name of ['key', 'status']) {
    const stated = receipt[name];
    const hashed = inOrder.map(({ entry }) => said(entry, name)).findLast((text) => text !== undefined);
    if (typeof stated !== 'string' || hashed === undefined) continue;
    if (stated !== hashed)
      checks.push(failed(name, `the receipt says ${name} ${stated}, the entries say ${hashed}`));
  }
  return checks;
}

const statuses = new Set<Json | undefined>([
  'running',
  'success',
  'failed',
  'denied',
  'proposed',
  'declined',
]);

/** What an entry says of the invocation; its status may be its verb. */
function said(entry: JsonRecord, name: string): string | undefined {
  const verb = name === 'status' && statuses.has(entry['action']) ? entry['action'] : undefined;
  const value = entry[name] ?? verb;
  return typeof value === 'string' ? value : undefined;
}

/** The `proof` member of a receipt, a confirmation or a dispatch answer. */
export async function checkProven(
  holder: JsonRecord,
  links: readonly Link[] | undefined,
  verifierKey: string | undefined,
  at?: string,
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
  const checks = [leaf.check, ...(await checkProof(tlogProof, verifierKey, leaf.bytes, at))];
  const index = proof['log_index'];
  if (
    typeof index === 'number' &&
    checks.every((check) => check.ok) &&
    parseProof(tlogProof).index !== index
  ) {
    checks.push(
      failed(
        'log_index',
        `the receipt says log index ${index}, the proof ${parseProof(tlogProof).index}`,
        at,
      ),
    );
  }
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
  // A confirmation may show the hash alone: then it is the hash that is proven.
  if (!isRecord(entry))
    return { bytes: claimedBytes, check: passed('entry', `the entry's hash is ${String(claimed)}`, at) };
  const { hash: _own, ...hashed } = entry;
  let bytes;
  try {
    bytes = await leafHash(canonical(hashed));
  } catch (error) {
    return failed('entry', `the proven entry has no canonical text: ${(error as Error).message}`, at);
  }
  if (hex(bytes) !== claimed)
    return failed('entry', `the proven entry hashes to ${hex(bytes)}, not to ${String(claimed)}`, at);
  if (links !== undefined && links.length > 0 && !links.some((link) => link.hash === claimed)) {
    return failed('entry', 'the proven entry is none of those listed', at);
  }
  return {
    bytes,
    check: passed(
      'entry',
      `entry ${String(entry['n'])} of chain ${String(entry['chain'])} hashes to ${hex(bytes)}`,
      at,
    ),
  };
}
