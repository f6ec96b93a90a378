/**
 * Keys derived from the deployment's one secret (contract §0, §4). HKDF gives each purpose its own, so that
 * the checkpoint key, the share MAC and the keyed hash of client addresses have nothing to do with each other.
 */
import {
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  createCipheriv,
  createDecipheriv,
} from 'node:crypto';
import { sha256, sha256Hex } from '../../kernel/hash.ts';
import { cosignerFromSeed, type Cosigner, type CosignatureAlgorithm } from '../../ledger/cosignature.ts';
import { signerFromSeed } from '../../ledger/note.ts';
import type { Secrets, RowSecrets } from '../service.ts';
import type { Keyring } from '../../engine/store.ts';

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
  const sessionKey = derive('session/1');
  return {
    macKeys: [{ id: 1, secret: derive('share-mac/1') }],
    signer: signerFromSeed(origin, derive(signing)),
    terminalHash: Buffer.from(terminalHashHex, 'hex'),
    sealingKey: derive('row-secrets/1'),
    webhookSecret: (id) => createHmac('sha256', webhookKey).update(id).digest(),
    sessionMac: (token) => createHmac('sha256', sessionKey).update(token).digest().subarray(0, 16),
    clientScope: (address) => createHmac('sha256', clientKey).update(address).digest('hex').slice(0, 32),
  };
}

/** The cosigners of a witness, Ed25519 first. Another name or label is another pair of keys. */
export function deriveCosigners(secret: string, name: string, label = ''): readonly [Cosigner, Cosigner] {
  const derive = (algorithm: CosignatureAlgorithm): Cosigner => {
    const purpose = `witness-${algorithm}/1/${label}/${name}`;
    return cosignerFromSeed(
      name,
      algorithm,
      new Uint8Array(hkdfSync('sha256', secret, 'colophon', purpose, 32)),
    );
  };
  return [derive('ed25519'), derive('ml-dsa-44')];
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

/** `sealingKey` has 32 bytes. */
export function rowSecrets(keyring: Keyring, sealingKey: Uint8Array): RowSecrets {
  return {
    async read(tenant, key, name) {
      const path = pathOf(tenant, key, name);
      const sealed = await keyring.get(path);
      return sealed === undefined || sealed === '' ? undefined : open(sealed, path, sealingKey);
    },
    async all() {
      const kept = await keyring.under(folder);
      return kept.flatMap(({ name, value }) => (value === '' ? [] : (open(value, name, sealingKey) ?? [])));
    },
    async write(tenant, key, name, value) {
      const path = pathOf(tenant, key, name);
      await keyring.set(path, value === '' ? '' : seal(value, path, sealingKey));
    },
  };
}

const folder = 'row_secret/';

function pathOf(tenant: string, key: string, name: string): string {
  return `${folder}${tenant}/${key}/${name}`;
}

/** AES-256-GCM: 12 bytes of nonce, 16 of tag, the text; a sealed value moved to another name does not open. */
function seal(value: string, path: string, key: Uint8Array): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(path));
  const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** Undefined where it was sealed under another key: the secret has to be set again. */
function open(sealed: string, path: string, key: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(path));
  decipher.setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
