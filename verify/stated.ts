/**
 * What a receipt or a confirmation says beside its entries, held against them (contract §3): who called what, when,
 * how it ended, what it spent and what it repairs. Only what no entry holds is the server's own word: the note at a
 * gate, the purpose of a share, the name that the caller typed, and links.
 */
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, type Check } from './report.ts';

/** Verbs that say something about an invocation without opening or ending it. */
const remarks = new Set<Json | undefined>(['scrub', 'repaired_by', 'submitted', 'resumed']);

const statuses = new Set<Json | undefined>([
  'running',
  'success',
  'failed',
  'denied',
  'proposed',
  'declined',
]);

/** One failed check for each member that the entries, given in the order of their chain, say otherwise. */
export function checkStated(receipt: JsonRecord, entries: readonly JsonRecord[]): Check[] {
  const [first] = entries;
  const last = entries.findLast((entry) => !remarks.has(entry['action']));
  if (first === undefined || last === undefined) return [];
  const said: Said = {
    ...newest(entries),
    ...called(first),
    ...ended(last),
    ...spent(last),
    'yield.material': cameOf(receipt, entries),
  };
  const shown: Said = { ...receipt, ...yieldOf(receipt), ...authorityOf(receipt) };
  return Object.entries(said).flatMap(([name, hashed]) => {
    const stated = shown[name];
    if (stated === undefined || hashed === undefined || canonical(stated) === canonical(hashed)) return [];
    return [failed(name, `the receipt says ${name} ${plain(stated)}, the entries say ${plain(hashed)}`)];
  });
}

type Said = Readonly<Record<string, Json | undefined>>;

function newest(entries: readonly JsonRecord[]): Said {
  const of = (name: string): Json | undefined =>
    entries.map((entry) => entry[name]).findLast((value) => typeof value === 'string');
  const status = entries
    .map((entry) => entry['status'] ?? (statuses.has(entry['action']) ? entry['action'] : undefined))
    .findLast((value) => typeof value === 'string');
  return {
    key: of('key'),
    status,
    ran: status === undefined ? undefined : status === 'success',
    request_sha: of('request_sha') ?? null,
    response_sha: of('response_sha') ?? null,
    repaired_by: entries.find((entry) => entry['action'] === 'repaired_by')?.['by'] ?? null,
  };
}

/** What the first entry says of the call. */
function called(first: JsonRecord): Said {
  const { actor = null } = first;
  const share = typeof actor === 'string' && actor.startsWith('cap_');
  return {
    tenant: first['tenant'] ?? null,
    actor,
    'authority.kind': share ? 'share' : actor,
    'authority.fingerprint': share ? actor : null,
    contract_hash: first['contract'] ?? null,
    started_at: first['ts'],
    idempotency_key: first['idem'] ?? null,
    replay_of: first['replay_of'] ?? null,
    repairs: first['repairs'] ?? null,
    root: first['root'] ?? null,
  };
}

/** What the entry that tells the outcome, or how far the call has come, says of it. */
function ended(last: JsonRecord): Said {
  const open = last['action'] === 'running' || last['action'] === 'proposed';
  return {
    error: last['error'] ?? null,
    'gates refused': last['gate'] ?? null,
    finished_at: open ? null : last['ts'],
    duration_ms: last['ms'] ?? null,
  };
}

function spent(last: JsonRecord): Said {
  const count = (name: string): number => (typeof last[name] === 'number' ? last[name] : 0);
  // An entry without a count is of a call that spent nothing; one without a price, of a call that nobody priced.
  const priced = last['tokens_in'] === undefined || typeof last['usd_micros'] === 'number';
  return {
    'yield.tokens': {
      in: count('tokens_in'),
      out: count('tokens_out'),
      total: count('tokens_in') + count('tokens_out'),
    },
    'yield.cost': { usd: priced ? count('usd_micros') / 1_000_000 : null },
    'yield.waste': count('tokens_wasted'),
  };
}

/** The objects that the entries commit to: nothing is asked of what was scrubbed. */
function cameOf({ material }: JsonRecord, entries: readonly JsonRecord[]): Json | undefined {
  if (!entries.some((entry) => typeof entry['material_sha'] === 'string')) return [];
  if (!isRecord(material)) return null;
  return Array.isArray(material['items']) ? material['items'] : undefined;
}

function yieldOf({ yield: shown }: JsonRecord): Said {
  if (!isRecord(shown)) return { 'yield.tokens': shown };
  const { tokens, cost, waste, material } = shown;
  return { 'yield.tokens': tokens, 'yield.cost': cost, 'yield.waste': waste, 'yield.material': material };
}

function authorityOf({ authority, gates }: JsonRecord): Said {
  const shown: Said = isRecord(authority) ? authority : { kind: authority };
  const refused = Array.isArray(gates)
    ? (gates as readonly Json[]).find((gate) => !isRecord(gate) || gate['ok'] !== true)
    : gates;
  return {
    'authority.kind': shown['kind'],
    'authority.fingerprint': shown['fingerprint'],
    'gates refused':
      gates === undefined ? undefined : isRecord(refused) ? refused['gate'] : (refused ?? null),
  };
}

/** A word as it is, anything else as JSON, and no more of it than a line takes. */
function plain(value: Json): string {
  return (typeof value === 'string' ? value : canonical(value)).slice(0, 200);
}
