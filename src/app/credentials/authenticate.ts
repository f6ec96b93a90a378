/**
 * Authenticates presented credentials (contract §4): shape, CRC and MAC here; expiry, revocation and scope are judged
 * by the gates.
 */
import { decodeApiKey, isApiKeyLike, isSameKey, notOurs } from '../../domain/capabilities/api-key-codec.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { checkExpiry } from '../../domain/capabilities/gates.ts';
import { decodeShare, isFingerprint } from '../../domain/capabilities/share-codec.ts';
import {
  type CapabilityRecord,
  type CapabilityRow,
  capabilityTable,
} from '../../domain/capabilities/tables.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { isTerminalKey } from './secrets.ts';
import type { Service } from '../service.ts';
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import { assignmentNamed, type Binding, bindingOf } from '../../domain/capabilities/binding.ts';
import { assignmentTable, begunTable, cohortPlace } from '../../domain/landscape/tables.ts';
import type { View } from '../../engine/act.ts';
import type { Store } from '../../engine/store.ts';

/** Credentials found on a request. The terminal key has precedence over a share. */
export interface Presented {
  readonly terminal?: string | undefined;
  readonly share?: string | undefined;
  /** The share was in the address, where it has to be for a client that sends nothing else. */
  readonly inAddress?: true | undefined;
  /** Fingerprint of the capability that signed the request or the desk's session; a door sets it once that is proved. */
  readonly signed?: string | undefined;
  /** The request came through the owner's local socket. */
  readonly local?: boolean | undefined;
}

export async function authenticate(service: Service, presented: Presented): Promise<Credential | Fault> {
  if (presented.local === true) return { kind: 'owner' };
  if (presented.terminal !== undefined) {
    if (isTerminalKey(service.secrets, presented.terminal)) return { kind: 'owner' };
    return fault(
      'credential_required',
      "The terminal key is not this deployment's.",
      'Send the owner key that the first start printed.',
    );
  }
  if (presented.signed !== undefined) return recorded(service, presented.signed);
  if (presented.share === undefined) return { kind: 'anonymous' };
  if (isApiKeyLike(presented.share)) return apiKey(service, presented.share);
  const share = decodeShare(presented.share, service.secrets.macKeys);
  if (isFault(share)) return isOwnersKey(service, presented.share) ? ownerKeySentAsShare() : share;
  const chain = await chainOf(share.fingerprint, (fingerprint) =>
    service.store.read.row(capabilityTable, fingerprint),
  );
  if (chain.length > 0) return shareOf(service, share.fingerprint, chain);
  const unused = await unusedSelfCut(service, share.fingerprint);
  if (unused === undefined) return unrecordedShare();
  return { kind: 'share', fingerprint: share.fingerprint, chain: [unused], unused: unused.record };
}

/** The owner key sent as a share, with or without its prefix. */
function isOwnersKey({ secrets }: Service, token: string): boolean {
  return isTerminalKey(secrets, token) || isTerminalKey(secrets, `tk_${token}`);
}

function ownerKeySentAsShare(): Fault {
  return fault(
    'credential_required',
    'That is the owner key, and it was sent as a share. Nobody is the owner by a share.',
    'Send the owner key in the x-terminal-key header, whole and with its tk_ prefix where it has one; never in a URL, a body or as a Bearer token.',
  );
}

/** A capability by its fingerprint, recorded on the ledger or held until its first use. */
export async function findCapability(
  service: Service,
  fingerprint: string,
): Promise<CapabilityRow | undefined> {
  if (!isFingerprint(fingerprint)) return undefined;
  return (
    (await service.store.read.row(capabilityTable, fingerprint)) ??
    (await unusedSelfCut(service, fingerprint))
  );
}

/** Name of the held record of a self-cut share until its first use. */
export function heldShareName(fingerprint: string): string {
  return `self_cut/${fingerprint}`;
}

/** A self-cut share that is not on the ledger yet; undefined after it expired. */
export async function unusedSelfCut(
  service: Service,
  fingerprint: string,
): Promise<CapabilityRow | undefined> {
  const held = await service.store.ephemeral.get(heldShareName(fingerprint), service.now());
  if (held === undefined) return undefined;
  const record = JSON.parse(held) as CapabilityRecord;
  const head = { n: -1, hash: '', ts: record.minted_at };
  return { fingerprint, record, uses: 0, denials: 0, revoked_at: null, head };
}

/** An API key matches a record on the ledger by hash; revocation is judged by the gates. */
async function apiKey(service: Service, token: string): Promise<Credential | Fault> {
  const key = decodeApiKey(token);
  if (isFault(key)) return key;
  const row = await service.store.read.row(capabilityTable, key.fingerprint);
  if (row?.record.kind !== 'key' || !isSameKey(key, row.record.digest ?? '')) return notOurs();
  return { kind: 'share', fingerprint: key.fingerprint, chain: [row] };
}

/** The recorded capability that signed. */
async function recorded(service: Service, fingerprint: string): Promise<Credential | Fault> {
  const chain = await chainOf(fingerprint, (each) => service.store.read.row(capabilityTable, each));
  return chain.length === 0 ? unrecordedShare() : shareOf(service, fingerprint, chain);
}

/** Authenticates a read outside dispatch, where no gate judges: the credential must also be in force. */
export async function authenticateReader(
  service: Service,
  presented: Presented,
): Promise<Credential | Fault> {
  const credential = await authenticate(service, presented);
  if (isFault(credential)) return { gate: 'credential', ...credential };
  return checkExpiry(credential, new Date(service.now()).toISOString()) ?? credential;
}

/** An authentic token without a record: the ledger was rolled back to before it was minted. */
export function unrecordedShare(): Fault {
  return {
    ...fault('token_revoked', 'The ledger has no record of this share.', 'Ask the owner for another.'),
    gate: 'credential',
  };
}

/** The credential of a recorded actor, by which an earlier call is judged now. */
export async function credentialOf(service: Service, actor: string): Promise<Credential | Fault> {
  if (actor === 'owner') return { kind: 'owner' };
  if (!isFingerprint(actor)) return { kind: 'anonymous' };
  const chain = await chainOf(actor, (fingerprint) => service.store.read.row(capabilityTable, fingerprint));
  return chain.length === 0 ? unrecordedShare() : shareOf(service, actor, chain);
}

async function shareOf(
  service: Service,
  fingerprint: string,
  chain: readonly CapabilityRow[],
): Promise<Credential | Fault> {
  const binding = await readBinding(service.store, chain);
  return isFault(binding) ? binding : { kind: 'share', fingerprint, chain, binding };
}

async function chainOf(
  fingerprint: string,
  row: (fingerprint: string) => Promise<CapabilityRow | undefined>,
): Promise<CapabilityRow[]> {
  const chain: CapabilityRow[] = [];
  for (let next: string | null = fingerprint; next !== null;) {
    const link: CapabilityRow | undefined = await row(next);
    if (link === undefined) return [];
    chain.push(link);
    next = link.record.parent;
  }
  return chain;
}

/*
 * The binding of a share to its assignment (contract §7), read from the store for doors and reads, and from the
 * transaction for the gates, so that an article published meanwhile is judged as published.
 */

export async function readBinding(
  { read }: Pick<Store, 'read'>,
  chain: readonly CapabilityRow[],
): Promise<Binding | Fault | undefined> {
  const root = chain.at(-1)?.record;
  const id = root === undefined ? undefined : assignmentNamed(root);
  if (root === undefined || id === undefined) return undefined;
  const row = await read.row(assignmentTable, id);
  if (row === undefined) return bindingOf(root, undefined, undefined, undefined);
  const { tenant, cohort, item } = row.record;
  const found = await read.row(slugTable, slugPath(tenant, item.article));
  const article = found === undefined ? undefined : await read.row(articleTable, found.aid);
  const begun = await read.row(begunTable, cohortPlace(tenant, cohort), item.article);
  return bindingOf(root, row, article, begun?.aid);
}

export function bindingIn(tx: View, chain: readonly CapabilityRow[]): Binding | Fault | undefined {
  const root = chain.at(-1)?.record;
  const id = root === undefined ? undefined : assignmentNamed(root);
  if (root === undefined || id === undefined) return undefined;
  const row = tx.row(assignmentTable, id);
  if (row === undefined) return bindingOf(root, undefined, undefined, undefined);
  const { tenant, cohort, item } = row.record;
  const found = tx.row(slugTable, slugPath(tenant, item.article));
  const article = found === undefined ? undefined : tx.row(articleTable, found.aid);
  const begun = tx.row(begunTable, cohortPlace(tenant, cohort), item.article);
  return bindingOf(root, row, article, begun?.aid);
}
