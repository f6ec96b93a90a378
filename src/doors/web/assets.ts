/**
 * What pages load: styles and client modules from `web/`, and the compiled standalone verifier. All of them
 * stand below one hash of all their bytes, so that they may be cached for ever and modules can import each
 * other by the paths they have in the repository.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { projectFile } from '../project-root.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly brotli: Buffer;
}

export interface Assets {
  /** 16 characters of base64url. */
  readonly hash: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Folder of the package, and the name it has in URLs. The verifier runs in browsers but for its command line. */
const folders: readonly (readonly [string, string])[] = [
  ['web/', 'web/'],
  ['dist/verify/', 'verify/'],
];
const left = new Set(['verify/cli.js']);

/** Throws where the verifier has not been compiled. */
export function loadAssets(): Assets {
  const files = new Map<string, Asset>();
  const whole = createHash('sha256');
  for (const [folder, name] of folders) {
    const at = projectFile(folder);
    if (!existsSync(at)) throw new Error(`${folder} is missing: run npm run build`);
    for (const file of readdirSync(at).sort()) {
      const type = types[extname(file)];
      const path = name + file;
      if (type === undefined || left.has(path)) continue;
      const bytes = readFileSync(new URL(file, at));
      whole.update(`${path}\n${bytes.length}\n`).update(bytes);
      files.set(path, {
        type,
        bytes,
        brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }),
      });
    }
  }
  return { hash: whole.digest('base64url').slice(0, 16), files };
}
