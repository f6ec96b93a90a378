/**
 * `/assets/<hash>/<file>`: the stylesheet, the client modules and the icon, as `scripts/bundle.ts` bundled them into
 * `dist/web/`. All of them are below one hash of all their bytes, so that caches may keep them for ever and modules
 * find each other and the site's root from their own address.
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

const servedFolder = 'dist/web/';

/** The files of pages that are read from a folder, without a server (`colophon export --site`). */
export const staticFolder = 'dist/web/static/';

const compress = promisify(brotliCompress);
/** Each file is compressed once. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** Throws if the files were not bundled. */
export function loadAssets(folder = servedFolder): Assets {
  const files = new Map<string, Asset>();
  const whole = createHash('sha256');
  const at = projectFile(folder);
  if (!existsSync(at)) throw new Error(`${folder} is missing: run npm run build`);
  for (const file of readdirSync(at).sort()) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const bytes = readFileSync(new URL(file, at));
    whole.update(`${file}\n${bytes.length}\n`).update(bytes);
    let compressed: Promise<Buffer> | undefined;
    files.set(file, { type, bytes, compressed: () => (compressed ??= compress(bytes, compression)) });
  }
  return { hash: whole.digest('base64url').slice(0, 16), files };
}

const immutable = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

/** `assets` reads and hashes the files when they are first needed. */
export function assetRoute(server: RouteServer, { assets: load }: { readonly assets: () => Assets }): void {
  route(
    server,
    {
      get: '/assets/:hash/:file',
      id: 'readAsset',
      summary: 'Stylesheet, client modules and icon, under the hash of all of them.',
      tag: 'pages',
      caller: 'none',
      query: undefined,
      json: false,
      types: ['text/css', 'text/javascript', 'image/svg+xml'],
      fresh: true,
    },
    async ({ request, params: { hash = '', file = '' } }) => {
      const assets = load();
      const found = hash === assets.hash ? assets.files.get(file) : undefined;
      if (found === undefined)
        return fault('not_found', 'There is no such asset.', 'Take its address from a page of this host.');
      return /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
        ? mediaReply(found.type, await found.compressed(), { ...immutable, 'content-encoding': 'br' })
        : mediaReply(found.type, found.bytes, immutable);
    },
  );
}
