/**
 * Logins at the owner's console (contract §4). A session is a random token in a cookie; what is kept is its hash, with
 * the hash of the owner key that opened it, among the operational records that all nodes share: another key ends all
 * sessions of the one before. A form carries a second value made from the token, which no other site can know.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import { randomBytes } from '../../kernel/ids.ts';
import type { Service } from '../service.ts';
import { isTerminalKey } from './secrets.ts';

export const sessionSeconds = 12 * 3600;

export interface Session {
  readonly token: string;
  /** What every form of the console carries. */
  readonly formToken: string;
}

/** Nothing for a key that is not the owner's. */
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
