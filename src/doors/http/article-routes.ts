/** `/api/articles` (spec §4.3, contract §5): free reads, and the open mirror intake below an article. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listArticles } from '../../app/reads/article-list.ts';
import { askedOfPart, parametersOf, partReaders } from '../../app/reads/article-parts.ts';
import { findArticle, readArticle, readMarkdown } from '../../app/reads/articles.ts';
import { askedOf } from '../../app/reads/moment.ts';
import type { Seen } from '../../app/seen.ts';
import type { Service } from '../../app/service.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { sendCached } from './article-cache.ts';
import { articleList, articleRead, intakes, partReads } from './article-declared.ts';
import { selfOfArticle, selfOfPart, standing } from './article-told.ts';
import { ByteCache } from './cached-bytes.ts';
import { declared, readable } from './declare.ts';
import { body, sendProblem, sendTagged, stableJsonInSlices } from './envelope.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import type { Intake } from './intake.ts';
import type { Taking } from './misread.ts';
import { openIntake } from './open-intake.ts';
import { readQuery, wholeNumber } from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { placeOf, readAt, viewerOf } from './viewer.ts';
import type { WarmReads } from './warm-reads.ts';

const jsonType = 'application/json; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

interface SlugParams {
  readonly slug: string;
  readonly part?: string;
}

export function articleRoutes(
  app: FastifyInstance,
  service: Service,
  intake: Intake,
  cacheBytesMax: number,
  reads: WarmReads,
): void {
  const { base } = service;
  const cache = new ByteCache(cacheBytesMax);
  const warm = { cache, reads };

  app.get('/api/articles', readable(articleList), async (request, reply) => {
    const query = readQuery(request, articleList);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const limit = wholeNumber(query, 'limit', articleList.query.limit);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    const tenant = await placeOf(service, viewer, query);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const list = await listArticles(service, tenant, viewer, limit, query);
    if (isFault(list)) return sendProblem(reply, request, base, list);
    const self = {
      kind: 'list',
      name: 'articles',
      what: 'Articles, a page at a time.',
      read: readAt(`${base}/api/articles`, query),
      schema: schemaLink(base, 'articles'),
    };
    return sendTagged(request, reply, body(self, list));
  });

  app.get('/api/articles/:slug', readable(articleRead), async (request, reply) => {
    const seen = await see(service, request, reply, intake, articleRead);
    if (isFault(seen)) return sendProblem(reply, request, base, seen);
    const query = request.query as Readonly<Record<string, string>>;
    const asked = askedOf(query);
    if (isFault(asked)) return sendProblem(reply, request, base, asked);
    const markdown = query['format'] === 'markdown';
    const isRaw = query['raw'] === '1';
    const name = markdown ? (isRaw ? 'raw markdown' : 'markdown') : seen.seesDrafts ? 'json drafts' : 'json';
    return sendCached(
      service,
      warm,
      request,
      reply,
      seen,
      {
        name: asked === undefined ? name : `${name} ${JSON.stringify(asked)}`,
        type: markdown ? markdownType : jsonType,
        called: !markdown,
      },
      async () => {
        const then = await standing(service, seen, asked);
        if (isFault(then)) return then;
        if (markdown) {
          const exact = await readMarkdown(then.service, seen);
          return isRaw ? exact : labelledMarkdown(exact);
        }
        const self = selfOfArticle(service, seen);
        return stableJsonInSlices(body(then.self(self), await readArticle(then.service, then.seen)));
      },
    );
  });

  app.get('/api/articles/:slug/:part', readable(...partReads.values()), async (request, reply) => {
    const { part = '' } = request.params as SlugParams;
    const reader = Object.hasOwn(partReaders, part) ? partReaders[part] : undefined;
    // What is no part has no parameters to be wrong about.
    const taking = partReads.get(part) ?? { query: undefined };
    const known = parametersOf(part) ?? [];
    const seen = await see(service, request, reply, intake, taking);
    if (isFault(seen)) return sendProblem(reply, request, base, seen);
    if (reader === undefined) {
      return sendProblem(
        reply,
        request,
        base,
        fault(
          'not_found',
          `Articles have no part "${part.slice(0, 60)}".`,
          `Use one of ${Object.keys(partReaders).join(', ')}.`,
        ),
      );
    }
    const query = request.query as Readonly<Record<string, string>>;
    const asked = askedOfPart(part, query);
    if (isFault(asked)) return sendProblem(reply, request, base, asked);
    const given = known.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
    const name = [part, seen.seesDrafts ? 'drafts' : '', ...given].join(' ');
    const make = async (): Promise<JsonObject | string | Fault> => {
      const then = await standing(service, seen, asked);
      if (isFault(then)) return then;
      const read = await reader({ service: then.service, seen: then.seen, query });
      if (isFault(read) || typeof read === 'string') return read;
      return body(then.self(selfOfPart(service, seen, part, query)), then.paged(read));
    };
    // A page whose next one bears a share is its holder's alone.
    if (known.includes('cursor') && query['share'] !== undefined) {
      const made = await make();
      return isFault(made) ? sendProblem(reply, request, base, made) : sendTagged(request, reply, made);
    }
    const type = part === 'skill' || query['format'] === 'markdown' ? markdownType : jsonType;
    return sendCached(
      service,
      warm,
      request,
      reply,
      seen,
      { name, type, called: part === 'invocations', needsLog: part === 'ledger' || part === 'bundle' },
      async () => {
        const made = await make();
        return isFault(made) || typeof made === 'string' ? made : stableJsonInSlices(made);
      },
    );
  });

  for (const [path, taking] of Object.entries(intakes)) {
    app.post(`/api/articles/:slug/${path}`, declared(taking), (request, reply) =>
      openIntake(service, intake, taking, request, reply),
    );
  }
}

async function see(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  intake: Intake,
  taking: Taking,
): Promise<Seen | Fault> {
  const query = readQuery(request, taking);
  if (isFault(query)) return query;
  const viewer = await viewerOf(service, request, reply, intake);
  if (isFault(viewer)) return viewer;
  return findArticle(service, (request.params as SlugParams).slug, viewer);
}
