/**
 * Secrets of the owner's rows (contract §3): kept in the keyring, sealed with a key that is derived from the
 * deployment's own secret, and bound to their workspace, row and name. No read, receipt or export shows them.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from '../../engine/store.ts';
import type { RowSecrets } from '../service.ts';

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
