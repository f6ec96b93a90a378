/**
 * What pages load: styles and client modules from `web/`, and the compiled standalone verifier. All of them
 * stand below one hash of all their bytes, so that they may be cached for ever and modules can import each
 * other by the paths they have in the repository.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { projectFile } from '../shared/project-root.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed beside the main thread when a browser first asks for it. */
  compressed(): Promise<Buffer>;
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

const compress = promisify(brotliCompress);
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

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
      let compressed: Promise<Buffer> | undefined;
      files.set(path, { type, bytes, compressed: () => (compressed ??= compress(bytes, compression)) });
    }
  }
  return { hash: whole.digest('base64url').slice(0, 16), files };
}
