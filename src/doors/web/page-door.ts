/**
 * How a page is asked for and answered, whichever it is (contract §8): the limits on reads before it, a refusal
 * as a page of its own, and what is published kept by the stamp of what it was made from. Pages take no
 * credential.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { readable } from '../http/route.ts';
import { privateCache, publicCache } from '../http/envelope.ts';
import type { Intake } from '../http/intake.ts';
import type { WarmReads } from '../http/warm-reads.ts';
import { kept, PageCache, type MadePage } from './page-cache.ts';
import { pages } from './page-declared.ts';
import { sendErrorPage, sendShared } from './page-reply.ts';
import type { Site } from './site.ts';

/** Everybody is nobody on a page. */
export const anonymous = { kind: 'anonymous' } as const;

/** A page by the stamp of what it is made from. */
export interface SharedPage {
  readonly name: string;
  readonly stamp: string;
  /** The stamp, where it is known without asking the store. */
  stampNow?(): string | undefined;
  make(): Promise<MadePage | Fault>;
}

type Path = keyof typeof pages;
type Answer = FastifyReply | Fault;

export interface PageDoor {
  /** A page that may say something else the next moment. */
  page(path: Path, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>): void;
  /** A page that is the same for everybody until its stamp changes. */
  shared(path: Path, wanted: (request: FastifyRequest) => Promise<SharedPage | Fault>): void;
  /** A page that only another program can change. */
  fixed(path: Path, make: () => string): void;
}

export function pageDoor(
  app: FastifyInstance,
  site: Site,
  intake: Intake,
  cacheBytesMax: number,
  reads: WarmReads,
): PageDoor {
  const cache = new PageCache(cacheBytesMax);
  const page: PageDoor['page'] = (path, answer) => {
    app.get(path, readable(pages[path]), async (request, reply) => {
      // A share has no business on a page; where one is sent all the same, it goes no further.
      if ('share' in (request.query as object))
        void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
      const answered = intake.read(request) ?? (await answer(request, reply));
      return isFault(answered) ? sendErrorPage(reply, site, answered) : answered;
    });
  };
  const shared: PageDoor['shared'] = (path, key) => {
    page(path, async (request, reply) => {
      const wanted = await key(request);
      if (isFault(wanted)) return wanted;
      const entry = await cache.get(wanted.name, wanted.stamp, wanted.make);
      if (isFault(entry)) return entry;
      const { name, stampNow } = wanted;
      if (stampNow !== undefined && !reply.hasHeader('cache-control'))
        reads.remember(request.url, { cache: cache.bytes, name, cacheControl: publicCache, stamp: stampNow });
      return sendShared(request, reply, cache.bytes, entry);
    });
  };
  const fixed: PageDoor['fixed'] = (path, make) => {
    shared(path, async () => ({ name: path, stamp: '', stampNow: () => '', make: async () => kept(make()) }));
  };
  return { page, shared, fixed };
}

/** One well-formed query parameter; repeated and empty ones count as absent. */
export function textOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= 200 &&
    value.isWellFormed() &&
    !value.includes('\0')
    ? value
    : undefined;
}
