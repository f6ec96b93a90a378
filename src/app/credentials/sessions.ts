/**
 * Sessions of the desk (contract §4). The cookie has a random token; the held records that all nodes share have its
 * hash and who signed in: the hash of the owner key, so that a new owner key ends the owner's sessions, or the
 * fingerprint of a share or API key that the owner minted, which is judged again at every request. Forms carry a CSRF
 * value derived from the token. The token ends with a MAC: an ended session still shows that its browser once signed in,
 * and a forged cookie costs no look-up.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { checkExpiry } from '../../domain/capabilities/gates.ts';
import { isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { randomBytes } from '../../kernel/ids.ts';
import type { Service } from '../service.ts';
import { authenticateReader, credentialOf, type Presented } from './authenticate.ts';
import { isTerminalKey } from './secrets.ts';

export const sessionSeconds = 12 * 3600;
/** How long browsers keep the cookie: a form that is sent after the session brings what was typed. */
export const cookieSeconds = 30 * 86_400;

export interface Session {
  readonly token: string;
  /** The CSRF value of the desk's forms. */
  readonly formToken: string;
  /** Who signed in, as the ledger has it now: the owner, or a share or API key in force. */
  readonly credential: DeskCredential;
  /** What the session's calls present to dispatch. */
  readonly presented: Presented;
}

export type DeskCredential = Exclude<Credential, { readonly kind: 'anonymous' }>;

/** A Fault if the key is neither the owner's nor a share or API key in force that the owner minted. */
export async function openSession(service: Service, key: string): Promise<Session | Fault> {
  const credential = isTerminalKey(service.secrets, key) ? owner : await holderOf(service, key);
  if (isFault(credential)) return credential;
  const random = Buffer.from(randomBytes(32)).toString('base64url');
  const token = `${random}.${Buffer.from(service.secrets.sessionMac(random)).toString('base64url')}`;
  const mark = credential.kind === 'owner' ? keyMark(service) : credential.fingerprint;
  await service.store.ephemeral.put(nameOf(token), mark, service.now() + sessionSeconds * 1000);
  return sessionFrom(token, credential);
}

export async function sessionOf(service: Service, token: string | undefined): Promise<Session | undefined> {
  if (token === undefined || !wasIssued(service, token)) return undefined;
  const mark = await service.store.ephemeral.get(nameOf(token), service.now());
  if (mark === keyMark(service)) return sessionFrom(token, owner);
  const credential = mark === undefined ? undefined : await credentialInForce(service, mark);
  return credential === undefined ? undefined : sessionFrom(token, credential);
}

/** Whether a session, ended or not, had this token. */
export function wasIssued({ secrets }: Pick<Service, 'secrets'>, token: string): boolean {
  const [, random = '', mac = ''] = /^([\w-]{43})\.([\w-]{22})$/.exec(token) ?? [];
  return random !== '' && timingSafeEqual(Buffer.from(mac, 'base64url'), secrets.sessionMac(random));
}

export async function closeSession(service: Service, { token }: Session): Promise<void> {
  await service.store.ephemeral.remove(nameOf(token));
}

const owner = { kind: 'owner' } as const;

const notAKey = fault(
  'credential_required',
  'That is neither the owner key of this deployment nor a share or API key that it minted.',
  'Copy the whole key: tk_… of the owner, sh.… of a share, or ck_… of an API key.',
);

/** Self-cut shares open no desk: everything they may do has a public form. */
const notInvited = fault(
  'scope_denied',
  'That share was handed out without an invitation, and the desk is for those whom the owner invited.',
  'Use the forms on the public pages, or ask the owner for a share of your role.',
);

async function holderOf(service: Service, token: string): Promise<DeskCredential | Fault> {
  const credential = await authenticateReader(service, { share: token });
  if (isFault(credential)) return credential.fault === 'token_malformed' ? notAKey : credential;
  return credential.kind === 'share' ? deskCredentialOf(credential) : notAKey;
}

/** The credential, if the desk is open to it: to the owner, and to those whom the owner invited. */
export function deskCredentialOf(credential: Credential): DeskCredential | Fault {
  if (credential.kind === 'owner') return credential;
  if (credential.kind !== 'share')
    return fault(
      'credential_required',
      'What waits is shown to the owner and to those whom the owner invited.',
      'Send the x-terminal-key header, or a share or API key that the owner minted.',
    );
  return credential.chain.every(({ record }) => record.origin === 'owner') ? credential : notInvited;
}

/** The capability with its present state; undefined once it or an ancestor was revoked or has expired. */
async function credentialInForce(service: Service, fingerprint: string): Promise<DeskCredential | undefined> {
  if (!isFingerprint(fingerprint)) return undefined;
  const credential = await credentialOf(service, fingerprint);
  if (isFault(credential) || credential.kind !== 'share') return undefined;
  return checkExpiry(credential, new Date(service.now()).toISOString()) === undefined
    ? credential
    : undefined;
}

function sessionFrom(token: string, credential: DeskCredential): Session {
  return {
    token,
    formToken: sha256Hex(`form\n${token}`).slice(0, 32),
    credential,
    presented: credential.kind === 'owner' ? { local: true } : { signed: credential.fingerprint },
  };
}

function nameOf(token: string): string {
  return `session/${sha256Hex(token)}`;
}

function keyMark({ secrets }: Service): string {
  return sha256Hex(secrets.terminalHash);
}
