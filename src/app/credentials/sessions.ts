/**
 * Sessions of the owner's console (contract §4). The cookie has a random token; the held records that all nodes share
 * have its hash and the hash of the owner key that opened the session, so a new owner key ends all sessions. Forms
 * carry a CSRF value derived from the token.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import { randomBytes } from '../../kernel/ids.ts';
import type { Service } from '../service.ts';
import { isTerminalKey } from './secrets.ts';

export const sessionSeconds = 12 * 3600;

export interface Session {
  readonly token: string;
  /** The CSRF value of the console's forms. */
  readonly formToken: string;
}

/** Undefined if the key is not the owner's. */
export async function openSession(service: Service, key: string): Promise<Session | undefined> {
  if (!isTerminalKey(service.secrets, key)) return undefined;
  const token = Buffer.from(randomBytes(32)).toString('base64url');
  await service.store.ephemeral.put(nameOf(token), keyMark(service), service.now() + sessionSeconds * 1000);
  return sessionFrom(token);
}

export async function sessionOf(service: Service, token: string | undefined): Promise<Session | undefined> {
  if (token === undefined || !/^[\w-]{43}$/.test(token)) return undefined;
  const mark = await service.store.ephemeral.get(nameOf(token), service.now());
  return mark === keyMark(service) ? sessionFrom(token) : undefined;
}

export async function closeSession(service: Service, { token }: Session): Promise<void> {
  await service.store.ephemeral.remove(nameOf(token));
}

function sessionFrom(token: string): Session {
  return { token, formToken: sha256Hex(`form\n${token}`).slice(0, 32) };
}

function nameOf(token: string): string {
  return `session/${sha256Hex(token)}`;
}

function keyMark({ secrets }: Service): string {
  return sha256Hex(secrets.terminalHash);
}
