/**
 * What a capability grants (spec §2.9, contract §4). A cut inherits what it does not name, clamped to what its
 * parent has left; asking for more than the parent has is refused. Authority only narrows. What becomes of it is in
 * `life-cycle.ts`.
 */
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { readRole, roles } from '../workspaces/roles.ts';
import type { Role } from '../../model/vocabulary.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Context } from '../context.ts';
import {
  checkPrefixes,
  ownerOnlyRows,
  ownerOnlyFix,
  unknownRows,
  type Coverable,
  type Rows,
} from './grants.ts';
import type { CapabilityGrant, CapabilityRecord, CapabilityRow, CapabilityScope } from './tables.ts';

export interface MintInput {
  readonly scope?: string | undefined;
  readonly key?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly ttl?: number | undefined;
  readonly max_uses?: number | undefined;
  readonly purpose?: string | undefined;
  readonly risk_ceiling?: string | undefined;
  readonly owner_gate?: boolean | undefined;
  readonly article?: string | undefined;
  readonly body_fixed?: string | undefined;
  readonly max_body_bytes?: number | undefined;
  readonly actor?: string | undefined;
  /** What the share invites to; the owner's to give. */
  readonly role?: string | undefined;
}

/** Spec §8 and contract §4. */
export const mintDefaults = { ttlSeconds: 600, maxUses: 1, riskCeiling: 'low', ownerGate: false } as const;
/** An invitation waits to be accepted. */
const invitationDefaults = { ttlSeconds: 7 * 86_400, maxUses: 100 } as const;
export const ttlSecondsMax = { owner: 30 * 86_400, share: 7 * 86_400 } as const;
export const depthMax = 8;

export interface KnownRow extends Coverable {
  readonly contractHash: string;
}

const usesMax = 1_000_000;
/** An empty prefix would begin every key, and any other text would stand in the drop. */
const prefixForm = /^[A-Z][A-Z0-9_]{0,63}$/;
const slugForm = /^[a-z0-9-]{2,120}$/;
const scopes: readonly string[] = ['row', 'rows', 'pfx', 'act', 'read'] satisfies readonly CapabilityScope[];

/** Violations of the arguments by themselves; the bounds of a ttl depend on the caller, if known. */
export function mintRules(given: PartialInput<MintInput>, own?: CapabilityRecord): Violation[] {
  const { ttl, max_uses: uses, article, role, max_body_bytes: bytes, risk_ceiling: ceiling } = given;
  const scope = given.scope ?? (given.scope === null ? null : (own?.scope ?? 'row'));
  const ttlMax = own === undefined ? ttlSecondsMax.owner : ttlSecondsMax.share;
  const found: Violation[] = [];
  const say = (name: string, what: string, fix: string): void => {
    found.push(violation('out_of_bounds', `/${name}`, `The capability cannot be minted: ${what}.`, fix));
  };
  if (scope !== null && !scopes.includes(scope))
    say('scope', `"${scope.slice(0, 40)}" is no scope`, `Use one of ${scopes.join(', ')}.`);
  if (typeof ceiling === 'string' && ceiling !== 'low' && ceiling !== 'high')
    say('risk_ceiling', `"${ceiling.slice(0, 40)}" is no risk ceiling`, 'Use low or high.');
  if (typeof ttl === 'number' && (!Number.isInteger(ttl) || ttl < 1 || ttl > ttlMax))
    say('ttl', `a ttl of ${ttl} seconds is out of range`, `Use 1 to ${ttlMax} seconds.`);
  if (typeof uses === 'number' && (!Number.isInteger(uses) || uses < 0 || uses > usesMax))
    say('max_uses', `max_uses ${uses} is out of range`, `Use 0 for unlimited, or up to ${usesMax}.`);
  if (typeof bytes === 'number' && (!Number.isInteger(bytes) || bytes < 1))
    say('max_body_bytes', 'max_body_bytes is out of range', 'Use a whole number from 1.');
  if (typeof article === 'string' && !slugForm.test(article))
    say(
      'article',
      `"${article.slice(0, 80)}" is no slug of an article`,
      'Send a slug, such as what-the-ledger-is.',
    );
  if (role !== undefined && (given.scope ?? given.key ?? given.keys) !== undefined)
    say('role', 'a role brings its own rows', 'Send role without scope, key and keys.');
  if (scope === 'row' && (given.keys?.length ?? 0) > 1)
    say('keys', 'scope row covers one row', 'Use scope rows for several keys.');
  const named = given.keys ?? (given.key == null || given.key === '' ? [] : [given.key]);
  const prefixes = scope === 'pfx' ? named : [];
  for (const [i, prefix] of prefixes.entries())
    if (typeof prefix === 'string' && !prefixForm.test(prefix))
      say(
        given.keys == null ? 'key' : `keys/${i}`,
        `"${prefix.slice(0, 80)}" is no prefix of keys`,
        'Send the beginning of keys, such as VOXEL_.',
      );
  return found;
}

/**
 * What would be granted. `parent` is the chain of the share that asks (itself first), empty for the owner;
 * `rows` are those of the directory; `now` is ISO 8601.
 */
export function planMint(
  given: MintInput,
  parent: readonly CapabilityRow[],
  rows: Rows<KnownRow>,
  context: Pick<Context, 'now' | 'tenant' | 'actor'>,
): CapabilityGrant | Fault {
  const own = parent[0]?.record;
  const bad = refusalOf(mintRules(given, own), 'The capability');
  if (bad !== undefined) return bad;
  const invitation = given.role === undefined ? undefined : invite(given, own, rows);
  if (isFault(invitation)) return invitation;
  const input = invitation ?? given;
  const scope = (input.scope ?? own?.scope ?? 'row') as CapabilityScope;
  const named = input.keys ?? (input.key === undefined || input.key === '' ? undefined : [input.key]);
  const keys = scope === 'act' || scope === 'read' ? [] : (named ?? own?.keys ?? []);
  if (keys.length === 0 && (scope === 'row' || scope === 'rows' || scope === 'pfx')) {
    return mismatch(`scope ${scope} names no row`, 'Send the row key, or keys.');
  }
  if (scope !== 'pfx') {
    const unknown = unknownRows(keys, rows);
    if (unknown !== undefined) return unknown;
    const closed = named === undefined ? undefined : ownerOnlyRows(named, rows);
    if (closed !== undefined) return mismatch(closed, ownerOnlyFix);
  } else {
    const empty = named === undefined ? undefined : checkPrefixes(named, rows);
    if (empty !== undefined) return mismatch(empty.what, empty.fix);
  }
  const ttlMax = own === undefined ? ttlSecondsMax.owner : ttlSecondsMax.share;
  const left =
    own === undefined
      ? ttlMax
      : Math.max(0, Math.floor((Date.parse(own.expires_at) - Date.parse(context.now)) / 1000));
  const ttl = input.ttl ?? (own === undefined ? mintDefaults.ttlSeconds : Math.min(left, ttlMax));
  if (ttl > left) return wider(`a ttl of ${ttl} seconds; ${left} are left`);
  const usesLeft = Math.min(
    ...parent.map((link) => (link.record.max_uses === 0 ? Infinity : link.record.max_uses - link.uses)),
    Infinity,
  );
  if (usesLeft <= 0) return wider('any use; none are left');
  const inherited = usesLeft === Infinity ? 0 : usesLeft;
  const maxUses = input.max_uses ?? (own === undefined ? mintDefaults.maxUses : inherited);
  if (usesLeft !== Infinity && (maxUses === 0 || maxUses > usesLeft))
    return wider(`${maxUses === 0 ? 'unlimited' : maxUses} uses; ${usesLeft} are left`);
  const ceiling = (input.risk_ceiling ?? own?.risk_ceiling ?? mintDefaults.riskCeiling) as 'low' | 'high';
  if (own?.risk_ceiling === 'low' && ceiling === 'high') return wider('risk_ceiling high');
  const ownerGate = input.owner_gate ?? own?.owner_gate ?? mintDefaults.ownerGate;
  if (own?.owner_gate === true && !ownerGate) return wider('owner_gate 0');
  const article = input.article ?? own?.article ?? null;
  if (own?.article != null && article !== own.article) return wider(`the article ${article}`);
  const bodyFixed = input.body_fixed ?? own?.body_fixed ?? null;
  if (own?.body_fixed != null && bodyFixed !== own.body_fixed) return wider('another fixed body');
  const bytesMax = input.max_body_bytes ?? own?.max_body_bytes ?? null;
  if (own?.max_body_bytes != null && (bytesMax as number) > own.max_body_bytes)
    return wider(`max_body_bytes ${bytesMax}`);
  if (own !== undefined) {
    const refused = narrower(own, scope, keys, rows);
    if (refused !== undefined) return refused;
    if (own.depth >= depthMax) return wider(`a ${own.depth + 1}th cut in a row; ${depthMax} are allowed`);
  }
  return {
    tenant: context.tenant,
    origin: own?.origin ?? 'owner',
    scope,
    keys,
    article,
    ttl,
    expires_at: new Date(Math.floor(Date.parse(context.now) / 1000 + ttl) * 1000).toISOString(),
    max_uses: maxUses,
    purpose: input.purpose ?? own?.purpose ?? '',
    risk_ceiling: ceiling,
    owner_gate: ownerGate,
    body_fixed: bodyFixed,
    max_body_bytes: bytesMax,
    parent: own?.fingerprint ?? null,
    depth: own === undefined ? 0 : own.depth + 1,
    issuer: context.actor,
    actor: input.actor ?? null,
    minted_at: context.now,
    contract_hash: scope === 'row' ? (rows.get(keys[0] as string)?.contractHash ?? null) : null,
    ...(invitation === undefined ? {} : { role: invitation.role }),
    ...(own?.assignment === undefined ? {} : { assignment: own.assignment }),
  };
}

/** An invitation is a share for the rows of its role; what it grants is the role's, how long and how often is the owner's. */
function invite(
  given: MintInput,
  own: CapabilityRecord | undefined,
  rows: Rows<KnownRow>,
): (MintInput & { readonly role: Role }) | Fault {
  if (own !== undefined) return wider('a role: only the owner invites');
  const role = readRole(given.role as string);
  if (isFault(role)) return role;
  return {
    ...given,
    role,
    scope: 'rows',
    keys: roles[role].keys.filter((key) => rows.get(key) !== undefined),
    ttl: given.ttl ?? invitationDefaults.ttlSeconds,
    max_uses: given.max_uses ?? invitationDefaults.maxUses,
    risk_ceiling: given.risk_ceiling ?? roles[role].risk,
  };
}

/** Whether every row that the cut would cover is one that its parent covers. */
function narrower(
  own: CapabilityRecord,
  scope: CapabilityScope,
  keys: readonly string[],
  rows: Rows<KnownRow>,
): Fault | undefined {
  const coveredByParent = (key: string): boolean => {
    const row = rows.get(key);
    switch (own.scope) {
      case 'pfx':
        return own.keys.some((prefix) => key.startsWith(prefix)) && row?.prefixable !== false;
      case 'act':
        return row?.inAct === true;
      case 'read':
        return row?.safe === true;
      default:
        return own.keys.includes(key);
    }
  };
  if (scope === 'act' || scope === 'read')
    return own.scope === scope || (own.scope === 'act' && scope === 'read')
      ? undefined
      : wider(`scope ${scope}`);
  if (scope === 'pfx') {
    const inside =
      own.scope === 'pfx' && keys.every((key) => own.keys.some((prefix) => key.startsWith(prefix)));
    return inside ? undefined : wider(`the prefix ${keys.join(', ')}`);
  }
  const outside = keys.filter((key) => !coveredByParent(key));
  return outside.length === 0 ? undefined : wider(outside.join(', '));
}

function mismatch(what: string, fix: string): Fault {
  return fault('body_mismatch', `The capability cannot be minted: ${what}.`, fix);
}

function wider(what: string): Fault {
  return {
    ...fault(
      'scope_denied',
      `The share cannot pass on ${what}: a cut is never wider than its parent.`,
      'Ask for less, or ask the owner.',
    ),
    gate: 'scope',
  };
}
