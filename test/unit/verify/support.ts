/** A small ledger served from memory, sound or bent in one place, for the verifier to judge. */
import { signCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { headOf, leafHash, seal, type Draft, type Head } from '../../../src/ledger/entry.ts';
import { MerkleLog } from '../../../src/ledger/log.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import {
  encodeBundle,
  entriesPath,
  parseLogPath,
  tilePath,
  tileWidth,
  widthAt,
} from '../../../src/ledger/tiles.ts';
import type { Check, LogFetch, Report } from '../../../verify/index.ts';

export const signer = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 5));

/** The texts of `count` entries, dealt to `chains` chains in turn. */
export function ledgerTexts(count: number, chains = 7): string[] {
  const heads = new Map<string, Head>();
  return Array.from({ length: count }, (_, i) => {
    const chain = `inv_${i % chains}`;
    const draft: Draft = { chain, ts: '2026-01-31T09:00:00.000Z', actor: 'owner', action: 'noted', at: i };
    const sealed = seal(draft, heads.get(chain) ?? null);
    heads.set(chain, headOf(sealed));
    return sealed.text;
  });
}

/** Every file of the log of these entries, by path. */
export function logFiles(texts: readonly string[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const log = new MerkleLog();
  for (const text of texts) log.append(leafHash(text));
  for (const { level, n, bytes } of log.takeCompleted())
    files.set(tilePath({ level, n, width: tileWidth }), bytes);
  for (let level = 0; 256 ** level <= texts.length; level++) {
    const n = Math.floor(texts.length / 256 ** (level + 1));
    const width = widthAt(level, n, texts.length);
    if (width > 0) files.set(tilePath({ level, n, width }), log.tile(level, n, width) as Uint8Array);
  }
  for (let n = 0; n * tileWidth < texts.length; n++) {
    const part = texts.slice(n * tileWidth, (n + 1) * tileWidth);
    files.set(entriesPath(n, part.length), encodeBundle(part));
  }
  files.set('checkpoint', Buffer.from(signCheckpoint(signer, texts.length, log.root())));
  files.set('.well-known/colophon-key', Buffer.from(`${signer.key.text}\n`));
  return files;
}

export function serve(files: ReadonlyMap<string, Uint8Array>): LogFetch {
  return async (path) => {
    // The verifier asks for nothing but canonical paths.
    if (path.startsWith('tile/') && parseLogPath(path) === undefined) throw new Error(`${path} is no path`);
    return files.get(path);
  };
}

/** Failed checks as `id: detail`. */
export function failuresOf(report: Report): string[] {
  return report.checks.filter((check: Check) => !check.ok).map(({ id, detail }) => `${id}: ${detail}`);
}

export function sound(report: Report): boolean {
  return report.ok && failuresOf(report).length === 0;
}
