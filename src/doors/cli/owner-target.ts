/** The deployment that the command line imports into: its articles, and calls as the owner. */
import type { JsonObject } from '../../kernel/json.ts';
import {
  saidIn,
  type Called,
  type CurrentArticle,
  type ImportTarget,
  type Refused,
  type Said,
  type SaidEntry,
} from '../intake/import-target.ts';
import type { Owner } from './owner-socket.ts';

/** The rows behind these paths answer with their result at top level, and take large bodies. */
const paths: Readonly<Record<string, string>> = {
  VOXEL_BATCH: 'voxel-batch',
  IMAGE_STORE: 'image',
  ARTICLE_META: 'article',
  SOURCE_POST: 'sources',
  CLAIM_POST: 'claim',
};

/** Requests of /api/dispatch have at most 1 MiB. */
const dryRunCharsMax = 300_000;

export function ownerTarget(owner: Owner): ImportTarget {
  return {
    async article(slug) {
      const [article, voxels] = await Promise.all([
        owner.get(`/api/articles/${slug}`),
        owner.get(`/api/articles/${slug}/voxels?include_inactive=1`),
      ]);
      return article.status === 200 && voxels.status === 200
        ? currentFrom(article.body, voxels.body)
        : undefined;
    },
    async discussion(slug) {
      const [discourse, article] = await Promise.all([
        owner.get(`/api/articles/${slug}/discourse`),
        owner.get(`/api/articles/${slug}`),
      ]);
      if (discourse.status !== 200 || article.status !== 200) return undefined;
      const entries = discourse.body['entries'] as unknown as readonly SaidEntry[];
      const contributions = article.body['contributions'] as unknown as readonly Said[];
      return { thread_head: String(discourse.body['thread_head']), said: saidIn(entries, contributions) };
    },
    async call(key, args): Promise<Called> {
      const path = paths[key];
      const { body } =
        path === undefined
          ? await owner.post('/api/dispatch', { key, body: args })
          : await owner.post(`/api/protocol/${path}`, args);
      if (body['ok'] !== true) return refusedFrom(body);
      const receipt = (body['receipt'] ?? body['invocation']) as JsonObject | undefined;
      const result = path === undefined ? body['result'] : body;
      return { ok: true, inv: String(receipt?.['id']), result: (result ?? {}) as JsonObject };
    },
    async rehearse(key, args) {
      // What is too large for a dry run is judged when it is written.
      if (JSON.stringify(args).length > dryRunCharsMax) return undefined;
      const { body } = await owner.post('/api/dispatch', { key, body: args, shape: true });
      if (body['would_run'] === true) return undefined;
      return refusedFrom((body['refusal'] as JsonObject | undefined) ?? body);
    },
  };
}

function refusedFrom(body: JsonObject): Refused {
  const violations = body['violations'] as Refused['violations'];
  const message = body['detail'] ?? body['message'] ?? body['problem'] ?? body['error'] ?? 'It was refused.';
  return {
    ok: false,
    message: String(message),
    fix: String(body['fix'] ?? ''),
    ...(Array.isArray(violations) ? { violations } : {}),
  };
}

function currentFrom(article: JsonObject, voxels: JsonObject): CurrentArticle {
  const divs = voxels['divs'] as unknown as readonly {
    readonly div_id: string;
    readonly text: string;
    readonly sep: string;
    readonly vx_hash: string;
    readonly order: number | null;
  }[];
  const current = divs.filter(({ order }) => order !== null);
  return {
    slug: String(article['slug']),
    title: String(article['title']),
    status: String(article['status']),
    version: Number(article['version']),
    content_hash: String(article['content_hash']),
    tags: article['tags'] as readonly string[],
    extra: (article['extra'] ?? {}) as JsonObject,
    layout: { lead: String(voxels['lead']), pieces: current },
    hashes: new Map(current.map(({ div_id: id, vx_hash: hash }) => [id, hash])),
    sources: article['sources'] as unknown as CurrentArticle['sources'],
    claims: (article['claims'] as readonly JsonObject[])
      .filter(({ status }) => status === 'active')
      .map(({ text }) => String(text)),
    blocksMade: Math.max(0, ...divs.map(({ div_id: id }) => Number(id.slice(1)))),
  };
}
