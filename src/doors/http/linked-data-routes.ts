/**
 * Articles in the formats of others (docs/linked-data.md): Web Annotations of the discourse, a claim as a
 * nanopublication, citations in BibTeX and CSL-JSON, and `/oembed`. The documents have no envelope.
 */
import { findArticle } from '../../app/reads/article-access.ts';
import { type AsOf, parseAsOf, withAsOf } from '../../app/reads/historical-read.ts';
import {
  publisherOf,
  readAnnotations,
  readCitation,
  readNanopub,
  readPageTitle,
} from '../../app/reads/linked-data.ts';
import { links } from '../../domain/links.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { annotationDocument } from '../../represent/annotations.ts';
import { bibtex, cslJson, oEmbedLink } from '../../represent/citation.ts';
import { articleAsOf } from './article-envelope.ts';
import { articleMoment, type ArticleCache, cachedArticle } from './article-routes.ts';
import { publicCache } from './envelope.ts';
import { choice, formatOf, shareOnly, stringParam, wholeNumberUpTo } from './parameters.ts';
import { route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';

const described = {
  tag: 'articles',
  caller: 'optional',
  limit: 'read',
  etag: true,
  json: false,
  rules: (query: Readonly<Record<string, string>>) => [parseAsOf(query)],
  article: true,
} as const;

const pagesMax = 1_000_000;
const annotationType = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"';
const citationTypes = {
  csl: 'application/vnd.citationstyles.csl+json; charset=utf-8',
  bibtex: 'application/x-bibtex; charset=utf-8',
} as const;

export function linkedDataRoutes(server: RouteServer, articles: ArticleCache): void {
  const { service } = server;
  const { base } = service;

  route(
    server,
    {
      ...described,
      get: '/api/articles/:slug/annotations',
      id: 'readAnnotations',
      summary: 'Discourse, contributions and votes as W3C Web Annotations, a hundred a page.',
      query: {
        page: wholeNumberUpTo(pagesMax, 'a page; without it the collection with its first page'),
        ...articleMoment,
        ...shareOnly,
      },
      documents: { 'application/ld+json': 'Annotations' },
    },
    async (context) => {
      const { query, access } = context;
      const asOf = parseAsOf(query);
      if (isFault(asOf)) return asOf;
      const { page } = query;
      const at = (n?: number): string => {
        const address = links.annotations(base, access.slug);
        return moment(n === undefined ? address : `${address}?page=${n}`, asOf);
      };
      const as = { name: `annotations ${page ?? ''} ${JSON.stringify(asOf)}`, type: annotationType };
      return cachedArticle(service, articles, context, as, async () => {
        const then = await articleAsOf(service, access, asOf);
        if (isFault(then)) return then;
        const { state, items } = await readAnnotations(then.context, then.access);
        const n = page === undefined ? undefined : Number(page);
        const document = annotationDocument({ state }, items, n, at);
        return document === undefined ? noPage(String(page)) : JSON.stringify(document);
      });
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/articles/:slug/claims/:claim/nanopub',
      id: 'readNanopub',
      summary: 'One claim as a nanopublication: assertion, provenance and publication info in TriG.',
      query: { ...articleMoment, ...shareOnly },
      types: ['application/trig'],
    },
    async (context) => {
      const { query, access, params } = context;
      const { claim = '' } = params;
      const asOf = parseAsOf(query);
      if (isFault(asOf)) return asOf;
      const as = {
        name: `nanopub ${claim} ${JSON.stringify(asOf)}`,
        type: 'application/trig; charset=utf-8',
        published: true,
      };
      return cachedArticle(service, articles, context, as, async () => {
        const then = await articleAsOf(service, access, asOf);
        if (isFault(then)) return then;
        const publisher = await publisherOf(service, access.tenant);
        return readNanopub(then.context, then.access, claim, publisher);
      });
    },
  );

  route(
    server,
    {
      ...described,
      get: '/api/articles/:slug/citation',
      id: 'readCitation',
      summary: 'How to cite a revision of the article: CSL-JSON or BibTeX.',
      query: { format: formatOf('csl', 'bibtex'), ...articleMoment, ...shareOnly },
      documents: { 'application/vnd.citationstyles.csl+json': 'CslItems' },
      types: ['application/x-bibtex'],
    },
    async (context) => {
      const { query, access } = context;
      const asOf = parseAsOf(query);
      if (isFault(asOf)) return asOf;
      const format = query['format'] === 'bibtex' ? 'bibtex' : 'csl';
      const as = {
        name: `citation ${format} ${JSON.stringify(asOf)}`,
        type: citationTypes[format],
        published: true,
      };
      return cachedArticle(service, articles, context, as, async () => {
        const then = await articleAsOf(service, access, asOf);
        if (isFault(then)) return then;
        const publisher = await publisherOf(service, access.tenant);
        const cited = await readCitation(then.context, then.access, publisher);
        return format === 'bibtex' ? bibtex(cited) : `${JSON.stringify(cslJson(cited), null, 2)}\n`;
      });
    },
  );

  route(
    server,
    {
      get: '/oembed',
      id: 'readOEmbed',
      summary: 'What oEmbed says of an article, claim, DIV or source by the address of its page, as a link.',
      tag: 'discovery',
      caller: 'none',
      limit: 'read',
      etag: true,
      cache: publicCache,
      answers: ['OEmbed'],
      query: {
        url: stringParam('the address of a page of an article on this site'),
        format: choice(['json'], 'the only one'),
        maxwidth: wholeNumberUpTo(100_000, 'has no effect: a link has no size'),
        maxheight: wholeNumberUpTo(100_000, 'has no effect: a link has no size'),
      },
      needed: ['url'],
    },
    async ({ query: { url = '' } }) => {
      const page = pageOf(base, url);
      if (page === undefined) return noSuchPage;
      const access = await findArticle(service, page.slug, { kind: 'anonymous' });
      if (isFault(access)) return noSuchPage;
      const title = await readPageTitle(service, access, page.part);
      if (isFault(title)) return noSuchPage;
      const publisher = await publisherOf(service, access.tenant);
      return oEmbedLink(title, publisher, base);
    },
  );
}

function moment(address: string, asOf: AsOf | undefined): string {
  return asOf === undefined ? address : withAsOf(address, asOf);
}

/** The article that an address of this site shows, whatever its query and fragment. */
function pageOf(
  base: string,
  address: string,
): { readonly slug: string; readonly part: string | undefined } | undefined {
  const [url = ''] = address.split(/[?#]/);
  if (!url.startsWith(`${base}/a/`)) return undefined;
  const found = /^([a-z0-9-]{2,120})(?:\/([cds][1-9]\d{0,6}))?$/.exec(url.slice(`${base}/a/`.length));
  return found === null ? undefined : { slug: found[1] as string, part: found[2] };
}

const noSuchPage = fault(
  'not_found',
  'The address is no page of an article on this site.',
  'Send the address of an article, claim, DIV or source as its page links to it, percent-encoded.',
);

function noPage(page: string): Fault {
  return fault(
    'not_found',
    `There is no page ${page.slice(0, 10)} of annotations.`,
    'Follow first, next and last of the collection.',
  );
}
