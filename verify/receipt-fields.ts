/**
 * Members of a receipt or confirmation, checked against its entries (contract §3): caller, row, time, outcome, cost, repairs.
 * Not covered, because no entry holds them: gate notes, the purpose of a share, the caller's typed name, and links.
 */
import type { Coverage } from './coverage.ts';
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

/**
 * One failed check for each member that the entries, given in the order of their chain, say otherwise. A receipt or a
 * confirmation as the server gives it leaves none of them out.
 */
export function checkReceiptFields(
  receipt: JsonRecord,
  entries: readonly JsonRecord[],
  coverage: Coverage,
): Check[] {
  const [first] = entries;
  const last = entries.findLast((entry) => !remarks.has(entry['action']));
  if (first === undefined || last === undefined) return [];
  const committed: Committed = {
    ...newest(entries),
    ...called(first),
    ...ended(last),
    ...spent(last),
    'yield.material': cameOf(receipt, entries),
    progress: progressOf(entries),
    // A confirmation is one, whatever it confirms.
    ...(receipt['confirmed'] === undefined ? {} : { ok: undefined }),
    ...(kindOfReceipt(receipt) === 'part' ? { 'proof.ok': undefined } : {}),
  };
  const shown: Committed = { ...receipt, ...yieldOf(receipt), ...authorityOf(receipt) };
  cover(receipt, committed, coverage);
  const left = leftOut(receipt).map((name) => failed(name, `the receipt leaves out ${name}`));
  const wrong = Object.entries(committed).flatMap(([name, hashed]) => {
    const stated = shown[name];
    if (stated === undefined || hashed === undefined || canonical(stated) === canonical(hashed)) return [];
    return [failed(name, `the receipt says ${name} ${plain(stated)}, the entries say ${plain(hashed)}`)];
  });
  return [...left, ...wrong, ...checkGates(receipt, last, coverage)];
}

const inBoth =
  'id key status ran started_at finished_at contract_hash yield replay_of repairs repaired_by root entries proof';
const inConfirmation = `${inBoth} confirmed request_sha response_sha`.split(' ');
const inReceipt =
  `${inBoth} ok error tenant actor authority gates request response said material idempotency_key duration_ms progress`.split(
    ' ',
  );

const partMembers: Readonly<Record<string, readonly string[]>> = {
  authority: ['kind', 'fingerprint', 'chain', 'purpose'],
  yield: ['tokens', 'cost', 'waste', 'material'],
  proof: ['ok', 'entry', 'entry_hash', 'log_index', 'tlog_proof'],
  request: ['body', 'content_sha', 'salt', 'state'],
  response: ['result', 'content_sha', 'salt', 'state'],
  said: ['words', 'content_sha', 'salt', 'state'],
  material: ['items', 'content_sha', 'salt', 'state'],
};

/** As the server gives it, or a kept part of it. */
export function kindOfReceipt(receipt: JsonRecord): 'receipt' | 'confirmation' | 'part' {
  const shows = (...names: readonly string[]): boolean => names.some((name) => receipt[name] !== undefined);
  if (shows('object_type', 'links', 'verbs')) return 'receipt';
  return shows('confirmed', 'request_sha', 'response_sha') ? 'confirmation' : 'part';
}

/** Members that the server always gives, and this document has not. */
function leftOut(receipt: JsonRecord): string[] {
  const kind = kindOfReceipt(receipt);
  if (kind === 'part') return [];
  const isWhole = kind === 'receipt';
  const names = isWhole ? Object.keys(partMembers) : ['yield', 'proof'];
  return [
    ...(isWhole ? inReceipt : inConfirmation).filter((name) => receipt[name] === undefined),
    ...names.flatMap((name) => {
      const part = receipt[name];
      const members = (partMembers[name] ?? []).filter((member) => isWhole || member !== 'material');
      return isRecord(part)
        ? members.filter((member) => !isShown(part, member)).map((member) => `${name}.${member}`)
        : [];
    }),
  ];
}

/** A proof without its entry would prove a hash alone. */
function isShown(part: JsonRecord, member: string): boolean {
  return member === 'entry' ? isRecord(part[member]) : part[member] !== undefined;
}

/** What the entries say counts as covered wherever the document shows it. */
function cover(receipt: JsonRecord, hashed: Committed, coverage: Coverage): void {
  const known = Object.entries(hashed).filter(([, value]) => value !== undefined);
  for (const [name] of known) {
    const [part = '', member] = name.split('.');
    const of = receipt[part];
    if (member === undefined) coverage.members(receipt, part);
    else if (isRecord(of)) coverage.members(of, member);
  }
  if (receipt['confirmed'] === true) coverage.members(receipt, 'confirmed');
}

const gateNames =
  'credential scope ancestor tenant risk owner_gate fixed_body use_budget payload_ceiling'.split(' ');

/** The gates are listed in their order, up to the one that refused; what is noted at each is the server's own word. */
function checkGates(receipt: JsonRecord, last: JsonRecord, coverage: Coverage): Check[] {
  const { gates } = receipt;
  const kind = kindOfReceipt(receipt);
  if (!Array.isArray(gates) || kind === 'part') return [];
  const refused = gateNames.indexOf(String(last['gate']));
  const expected = refused < 0 ? gateNames : gateNames.slice(0, refused + 1);
  const list = gates as readonly Json[];
  coverage.list(list);
  const wrong =
    list.length !== expected.length ||
    list.some((gate, i) => {
      if (!isRecord(gate)) return true;
      coverage.members(gate, 'gate', 'ok');
      return gate['gate'] !== expected[i] || gate['ok'] !== (i !== refused);
    });
  return wrong ? [failed('gates', 'the gates are not those that the entries tell of, in their order')] : [];
}

type Committed = Readonly<Record<string, Json | undefined>>;

function newest(entries: readonly JsonRecord[]): Committed {
  const of = (name: string): Json | undefined =>
    entries.map((entry) => entry[name]).findLast((value) => typeof value === 'string');
  const status = entries
    .map((entry) => entry['status'] ?? (statuses.has(entry['action']) ? entry['action'] : undefined))
    .findLast((value) => typeof value === 'string');
  return {
    key: of('key'),
    status,
    ran: status === undefined ? undefined : status === 'success',
    ok: status === undefined ? undefined : status === 'success',
    'proof.ok': status === undefined ? undefined : status === 'success',
    request_sha: of('request_sha') ?? null,
    response_sha: of('response_sha') ?? null,
    repaired_by: entries.find((entry) => entry['action'] === 'repaired_by')?.['by'] ?? null,
  };
}

/** What the first entry says of the call. */
function called(first: JsonRecord): Committed {
  const { actor = null } = first;
  const share = typeof actor === 'string' && actor.startsWith('cap_');
  return {
    tenant: first['tenant'] ?? null,
    actor,
    'authority.kind': share ? 'share' : actor,
    'authority.fingerprint': share ? actor : null,
    // Whom a share was cut from stands in the entries of that share.
    'authority.chain': share ? undefined : [],
    'authority.purpose': share ? undefined : null,
    contract_hash: first['contract'] ?? null,
    started_at: first['ts'],
    idempotency_key: first['idem'] ?? null,
    replay_of: first['replay_of'] ?? null,
    repairs: first['repairs'] ?? null,
    root: first['root'] ?? null,
  };
}

/** How far a call has come that is not at its end. */
function progressOf(entries: readonly JsonRecord[]): Json | undefined {
  const status = newest(entries)['status'];
  if (status === undefined) return undefined;
  if (status !== 'running') return null;
  const last = entries.findLast((entry) => entry['action'] !== 'scrub');
  return {
    stage: last?.['action'] ?? null,
    since: last?.['ts'] ?? null,
    lease_until: last?.['lease_until'] ?? null,
  };
}

/** What the entry of the outcome or of the progress records. */
function ended(last: JsonRecord): Committed {
  const open = last['action'] === 'running' || last['action'] === 'proposed';
  return {
    error: last['error'] ?? null,
    'gates refused': last['gate'] ?? null,
    finished_at: open ? null : last['ts'],
    duration_ms: last['ms'] ?? null,
  };
}

function spent(last: JsonRecord): Committed {
  const count = (name: string): number => (typeof last[name] === 'number' ? last[name] : 0);
  // An entry without a count is of a call that spent nothing; one without a price, of a call without a price.
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

function yieldOf({ yield: shown }: JsonRecord): Committed {
  if (!isRecord(shown)) return { 'yield.tokens': shown };
  const { tokens, cost, waste, material } = shown;
  return { 'yield.tokens': tokens, 'yield.cost': cost, 'yield.waste': waste, 'yield.material': material };
}

function authorityOf({ authority, gates, proof }: JsonRecord): Committed {
  const shown: Committed = isRecord(authority) ? authority : { kind: authority };
  const refused = Array.isArray(gates)
    ? (gates as readonly Json[]).find((gate) => !isRecord(gate) || gate['ok'] !== true)
    : gates;
  return {
    'authority.kind': shown['kind'],
    'authority.fingerprint': shown['fingerprint'],
    'authority.chain': shown['chain'],
    'authority.purpose': shown['purpose'],
    'proof.ok': isRecord(proof) ? proof['ok'] : undefined,
    'gates refused':
      gates === undefined ? undefined : isRecord(refused) ? refused['gate'] : (refused ?? null),
  };
}

/** A word as it is, anything else as JSON, and no more of it than a line takes. */
function plain(value: Json): string {
  return (typeof value === 'string' ? value : canonical(value)).slice(0, 200);
}
