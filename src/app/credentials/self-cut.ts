/**
 * Self-cut shares (contract §4): capabilities for open rows that can be cut without a key, also by entering a
 * workspace. Until its first use a share is an operational record that all nodes have; its first use records it on
 * the ledger. Cutting from another share is a CAP_MINT call.
 */
import { encodeShare, fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { publicKeys, roles } from '../../domain/workspaces/roles.ts';
import { roleNames, type Role } from '../../model/vocabulary.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { renderDrop } from '../../domain/drops/render.ts';
import { links } from '../../domain/links.ts';
import { scrubText } from '../../guard/secrets.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { randomBytes } from '../../kernel/ids.ts';
import { heldShareName } from './authenticate.ts';
import type { Service } from '../service.ts';
import { covers } from '../../domain/capabilities/grants.ts';
import { anyCall, callParameters } from '../../domain/capabilities/call-template.ts';
import { isRequired, type Row } from '../../domain/capabilities/row.ts';
import { holderTemplates } from '../../represent/templates.ts';
import { welcome, type EntryAbout } from '../reads/entry.ts';
import { exactly } from '../../model/exact.ts';
import { SelfCutShare, type HandedShare, type StoredCapability } from '../../model/capability.ts';
import type { Entered } from '../../model/workspace.ts';
import type { Workspace } from '../reads/workspaces.ts';

const ttlSeconds = 86_400;
const usesMax = 25;

export interface SelfCut {
  /** Requested keys; all public ones if undefined. */
  readonly keys: readonly string[] | undefined;
  readonly purpose: string;
  readonly actor: string | null;
  readonly tenant: string;
  /** Rows that the entered role opens beside the public ones. */
  readonly also?: readonly string[] | undefined;
}

export async function selfCut(service: Service, wanted: SelfCut): Promise<SelfCutShare | Fault> {
  const requested = wanted.keys ?? publicKeys;
  const open = [...new Set([...publicKeys, ...(wanted.also ?? [])])];
  const keys = open.filter((key) => requested.includes(key));
  const refused = requested.filter((key) => !open.includes(key)).map((key) => key.slice(0, 80));
  if (keys.length === 0) {
    return fault(
      'keys_not_public',
      'None of these rows is open to shares cut without a key.',
      `Name some of ${publicKeys.join(', ')}, or ask the owner for a share.`,
      { refused, public_keys: publicKeys },
    );
  }
  const nowMs = service.now();
  const expiresSeconds = Math.floor(nowMs / 1000) + ttlSeconds;
  const share = encodeShare(service.secrets.macKeys[0], expiresSeconds, randomBytes(10));
  const clean = (text: string): string => scrubText(text, fingerprintOf).value;
  const record: StoredCapability = {
    fingerprint: share.fingerprint,
    tenant: wanted.tenant,
    origin: 'self',
    scope: 'rows',
    keys,
    article: null,
    ttl: ttlSeconds,
    expires_at: new Date(expiresSeconds * 1000).toISOString(),
    max_uses: usesMax,
    purpose: clean(wanted.purpose),
    risk_ceiling: 'low',
    owner_gate: false,
    body_fixed: null,
    max_body_bytes: null,
    parent: null,
    depth: 0,
    issuer: 'anonymous',
    actor: wanted.actor === null ? null : clean(wanted.actor),
    minted_at: new Date(nowMs).toISOString(),
    contract_hash: null,
  };
  await service.store.ephemeral.put(
    heldShareName(share.fingerprint),
    JSON.stringify(record),
    expiresSeconds * 1000,
  );
  return exactly(SelfCutShare, {
    capability: record,
    granted: keys,
    refused,
    ...shareAnswer(service, share.token, record),
  });
}

/** A new token, shown once, with its addresses and a drop to pass on. */
function shareAnswer(service: Service, share: string, record: CapabilityRecord): HandedShare {
  const dispatch = links.dispatch(service.base);
  return {
    share,
    fingerprint: record.fingerprint,
    expires_at: record.expires_at,
    max_uses: record.max_uses,
    ...shareAddresses(service, share, record),
    next: [
      `${dispatch}?explain=1&share=${share}`,
      ...record.keys.map((key) => links.contract(service.base, key)),
    ],
    drop: renderDrop(service.base, share, record, service),
  };
}

/**
 * The addresses that come with a share (contract §2, §4): one that is ready to open, and templates of the others. A
 * row that writes and needs arguments is addressed without any, so that opening the address writes nothing: the answer
 * has its arguments and an example. It is a soft answer, and so is that of an example, whose article may be absent.
 */
export function shareAddresses(
  service: Service,
  share: string,
  record: CapabilityRecord,
): Pick<HandedShare, 'invoke_url' | 'explain_url' | 'templates'> {
  const dispatch = links.dispatch(service.base);
  const row = firstRow(service, record);
  const body = row === undefined ? undefined : readyBody(row, record);
  const query = body === undefined ? '' : `&body=${encodeURIComponent(body)}`;
  return {
    ...(row === undefined
      ? {}
      : {
          invoke_url: `${dispatch}?invoke=${row.key}${query}&share=${share}${isReady(row, record) ? '' : '&soft=1'}`,
        }),
    explain_url: `${dispatch}?explain=1&share=${share}`,
    templates: [...callTemplates(service, share, record), ...holderTemplates(service.base, share)],
  };
}

/**
 * A template for each row of the share; for an open key if the share names none. A fixed body and a row without
 * arguments leave nothing to fill in: `invoke_url` has them.
 */
function callTemplates(
  { base, rows }: Service,
  share: string,
  { scope, keys, article, body_fixed: fixed }: CapabilityRecord,
): string[] {
  if (fixed !== null) return [];
  const calls =
    scope === 'row' || scope === 'rows'
      ? keys.flatMap((key) => {
          const row = rows.get(key);
          if (row === undefined) return [];
          return [callParameters(row, article !== null && isAboutArticle(row) ? { slug: article } : {})];
        })
      : [anyCall];
  return calls
    .filter((call) => call.includes('{'))
    .map((call) => `${links.dispatch(base)}?${call}&share=${share}`);
}

/** The only row; of several, the first read that can be called as it is, else the first. */
function firstRow(service: Service, record: CapabilityRecord): Row | undefined {
  const covered = [...service.rows.values()].filter((row) => covers(record, row));
  const { article } = record;
  return (
    covered.find((row) => row.safe && (article === null ? needsNothing(row) : isAboutArticle(row))) ??
    covered[0]
  );
}

function needsNothing(row: Row): boolean {
  return !row.argNames.some((name) => isRequired(row, name));
}

function isAboutArticle({ argNames }: Row): boolean {
  return argNames[0] === 'slug';
}

/** Whether the body of its address is known to fit. */
function isReady(row: Row, { body_fixed: fixed }: CapabilityRecord): boolean {
  return fixed !== null || needsNothing(row);
}

/** A body that works as it is; undefined if only the caller can know it. */
function readyBody(
  row: Row,
  { body_fixed: fixed, article, fingerprint }: CapabilityRecord,
): string | undefined {
  if (fixed !== null) return fixed;
  if (needsNothing(row)) return '';
  const bound = article !== null && isAboutArticle(row) ? article : undefined;
  // Scope is judged before arguments: a share of one article names it even if other arguments are missing.
  if (!row.safe) return bound;
  if (row.target === 'capability') return fingerprint;
  if (row.target === 'invocation') return undefined;
  // Seeded ledgers have the article of the example.
  const { example } = row.contract;
  return bound === undefined ? example : example.replace(/^[^|]*/, bound);
}

export interface Entering {
  readonly workspace: Workspace;
  readonly keys: readonly string[];
  readonly purpose: string;
  readonly actor: string | null;
  /** Keys that are not public; the role opens them. */
  readonly also?: readonly string[];
  /** An article that the addresses are made for. */
  readonly about?: EntryAbout;
}

/** A self-cut share with the addresses to start from. */
export async function enter(service: Service, entering: Entering): Promise<Entered | Fault> {
  const { workspace, keys, purpose, actor, about } = entering;
  const cut = await selfCut(service, { keys, purpose, actor, tenant: workspace.tenant, also: keys });
  return isFault(cut) ? cut : welcome(service, workspace, keys, cut, { ...about, actor });
}

/** A credential for a role that is open to everybody. */
export async function enterOpen(
  service: Service,
  workspace: Workspace,
  role: Role,
  actor: string | null,
): Promise<Entered | Fault> {
  const { name, status } = workspace.state;
  if (!roles[role].open || status !== 'open') return needsInvitation(role);
  const { keys } = roles[role];
  const entered = await enter(service, { workspace, keys, purpose: `${role} of ${name}`, actor });
  return isFault(entered) ? entered : { workspace: name, role, ...entered };
}

export function needsInvitation(role: Role): Fault {
  return fault(
    'scope_denied',
    `The role ${role} needs an invitation of the owner.`,
    'Ask the owner for one (CAP_MINT with role) and open this address with share=<TOKEN>, or enter an open workspace as observer or contributor.',
    { open_roles: roleNames.filter((each) => roles[each].open) },
  );
}
