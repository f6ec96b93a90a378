/** SHA-256 in the forms the ledger uses: lowercase hex at the edges, raw bytes inside the Merkle tree. */
import { hash } from 'node:crypto';

/** Lowercase hex SHA-256 of bytes, or of a string's UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The 32 raw bytes of SHA-256. */
export function sha256(data: string | Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer');
}
