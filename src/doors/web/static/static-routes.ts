/**
 * `GET /api/static-site` (contract §0): the files of the static site as lines of JSON, for `colophon export --site`, which
 * writes them to a folder. The process that has the ledger open renders, so that the export works beside a running server.
 */
import { fault, invalidParameter } from '../../../kernel/fault.ts';
import { privateCache } from '../../http/envelope.ts';
import { stringParam } from '../../http/parameters.ts';
import { streamedReply } from '../../http/replies.ts';
import { route } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import type { OnError } from '../../http/replies.ts';
import type { Site } from '../site.ts';
import { staticSite, StaticSiteError } from './static-site.ts';

export const staticSitePath = '/api/static-site';

export function staticRoutes(server: RouteServer, site: Site, onError: OnError): void {
  route(
    server,
    {
      get: staticSitePath,
      id: 'exportStaticSite',
      summary: 'The published articles as the files of a static site, one a line.',
      tag: 'articles',
      caller: 'owner',
      query: { address: stringParam('where the site will be published; adds a feed and a site map') },
      json: false,
      types: ['application/x-ndjson'],
      head: 'none',
      cache: privateCache,
    },
    ({ viewer, query, request }) => {
      if (viewer.kind !== 'owner')
        return fault('owner_only', 'Exporting the site is for the owner.', 'Send the x-terminal-key header.');
      const given = query['address'];
      const address = given === undefined ? undefined : URL.parse(given);
      if (address === null || (address !== undefined && !isPlain(address)))
        return invalidParameter(
          'address',
          'address is no http or https address of a folder.',
          'Send an address such as https://example.org/articles.',
        );
      const lines = linesOf(site, address?.href.replace(/\/+$/, ''), (error) =>
        onError(error, request.url, request.id),
      );
      return streamedReply('application/x-ndjson', lines);
    },
  );
}

function isPlain({ protocol, search, hash, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && `${search}${hash}${username}${password}` === '';
}

/** A failure is the last line: what was received before is not a whole site. */
async function* linesOf(
  site: Site,
  address: string | undefined,
  report: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    for await (const part of staticSite(site, { address })) {
      const line =
        'file' in part && typeof part.bytes !== 'string'
          ? { file: part.file, base64: Buffer.from(part.bytes).toString('base64') }
          : 'file' in part
            ? { file: part.file, text: part.bytes }
            : 'done' in part
              ? part
              : { summary: part };
      yield `${JSON.stringify(line)}\n`;
    }
  } catch (error) {
    if (error instanceof StaticSiteError) yield `${JSON.stringify({ failed: error.message })}\n`;
    else {
      report(error);
      yield `${JSON.stringify({ failed: 'The server failed while it wrote the site; its log says why.' })}\n`;
    }
  }
}
