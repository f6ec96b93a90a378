/**
 * Keys derived from the deployment's one secret (contract §0, §4). HKDF gives each purpose its own, so that
 * the checkpoint key, the share MAC and the keyed hash of client addresses have nothing to do with each other.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256, sha256Hex } from '../../kernel/hash.ts';
import { signerFromSeed } from '../../ledger/note.ts';
import type { Secrets } from '../service.ts';

/** A new deployment secret: 32 bytes as hex. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** A new terminal key: `tk_` and 32 random bytes as base64url. */
export function newTerminalKey(): string {
  return `tk_${randomBytes(32).toString('base64url')}`;
}

/**
 * `origin` names the log: host, port and path of the base URL as fixed at the first start. A log that was begun anew
 * has a `label` besides, which gives it a key of its own.
 */
export function deriveSecrets(
  secret: string,
  origin: string,
  terminalHashHex: string,
  label?: string,
): Secrets {
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, 'colophon', purpose, 32));
  const clientKey = derive('client-scope/1');
  const signing = label === undefined ? 'checkpoint-ed25519/1' : `checkpoint-ed25519/1/${label}`;
  const webhookKey = derive('webhook/1');
  return {
    macKeys: [{ id: 1, secret: derive('share-mac/1') }],
    signer: signerFromSeed(origin, derive(signing)),
    terminalHash: Buffer.from(terminalHashHex, 'hex'),
    sealingKey: derive('row-secrets/1'),
    webhookSecret: (id) => createHmac('sha256', webhookKey).update(id).digest(),
    clientScope: (address) => createHmac('sha256', clientKey).update(address).digest('hex').slice(0, 32),
  };
}

/** Tells one deployment secret from another and nothing more of it. */
export function secretCheck(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, 'colophon', 'key-check/1', 16)).toString('hex');
}

export function hashTerminalKey(key: string): string {
  return sha256Hex(key);
}

/** Constant-time: says nothing about how much of a wrong key was right. */
export function isTerminalKey(secrets: Secrets, presented: string): boolean {
  return timingSafeEqual(sha256(presented), secrets.terminalHash);
}
