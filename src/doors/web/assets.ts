/**
 * `/assets/<hash>/…`: styles and client modules from `web/`, and the compiled standalone verifier. All of them are
 * below one hash of all their bytes, so that caches may keep them for ever and modules can import each other by the
 * paths they have in the repository.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { fault } from '../../kernel/fault.ts';
import { mediaReply } from '../http/replies.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { projectFile } from '../project-root.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed asynchronously on the first request. */
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

/** Folder of the package, and its name in URLs. `verify/cli.js` is not for browsers. */
const folders: readonly (readonly [string, string])[] = [
  ['web/', 'web/'],
  ['dist/verify/', 'verify/'],
];
const excluded = new Set(['verify/cli.js']);

const compress = promisify(brotliCompress);
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

/** Throws if the verifier was not compiled. */
export function loadAssets(): Assets {
  const files = new Map<string, Asset>();
  const whole = createHash('sha256');
  for (const [folder, name] of folders) {
    const at = projectFile(folder);
    if (!existsSync(at)) throw new Error(`${folder} is missing: run npm run build`);
    for (const file of readdirSync(at).sort()) {
      const type = types[extname(file)];
      const path = name + file;
      if (type === undefined || excluded.has(path)) continue;
      const bytes = readFileSync(new URL(file, at));
      whole.update(`${path}\n${bytes.length}\n`).update(bytes);
      let compressed: Promise<Buffer> | undefined;
      files.set(path, { type, bytes, compressed: () => (compressed ??= compress(bytes, compression)) });
    }
  }
  return { hash: whole.digest('base64url').slice(0, 16), files };
}

const immutable = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

/** `assets` reads and hashes the files when they are first needed. */
export function assetRoute(server: RouteServer, { assets: load }: { readonly assets: () => Assets }): void {
  route(
    server,
    {
      get: '/assets/:hash/*',
      id: 'readAsset',
      summary: 'Styles, client modules and the verifier, under the hash of all of them.',
      tag: 'pages',
      caller: 'none',
      query: undefined,
      json: false,
      types: ['text/css', 'text/javascript', 'image/svg+xml'],
      fresh: true,
    },
    async ({ request, params: { hash = '', '*': path = '' } }) => {
      const assets = load();
      const found = hash === assets.hash ? assets.files.get(path) : undefined;
      if (found === undefined)
        return fault('not_found', 'There is no such asset.', 'Take its address from a page of this host.');
      return /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
        ? mediaReply(found.type, await found.compressed(), { ...immutable, 'content-encoding': 'br' })
        : mediaReply(found.type, found.bytes, immutable);
    },
  );
}
