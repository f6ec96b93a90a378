/** Articles over HTTP: made, read, taken apart, and handed to the standalone verifier. */
import { expect } from 'vitest';
import type { Report } from '../../verify/index.ts';
import { owner, type LocalServer, type Reply } from './local.ts';

export interface Div {
  readonly div_id: string;
  readonly text: string;
  readonly sep: string;
  readonly order: number;
  readonly vx_hash: string;
  readonly status: string;
}

export interface Articles {
  post(path: string, body: object, headers?: Record<string, string>): Promise<Reply>;
  read(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** A document that must be taken. */
  make(slug: string, markdown: string, more?: object): Promise<Reply>;
  divsOf(slug: string, query?: string): Promise<Div[]>;
}

/** What every claim of the tests has beside its text. */
export const claim = { tier: 'system', who_claims: 'RFC 6962', rationale: 'A test.' };

/** `server` is asked for when it is needed: it opens after the tests are written down. */
export function articlesOf(server: () => LocalServer): Articles {
  const articles: Articles = {
    post: (path, body, headers = owner) => server().send({ path: `/api/protocol/${path}`, headers, body }),
    read: (path, headers = {}) => server().send({ path: `/api/articles/${path}`, headers }),
    async make(slug, markdown, more = {}) {
      const reply = await articles.post('voxel-batch', { document: { slug, markdown, ...more } });
      if (reply.status !== 200) throw new Error(`${slug} was refused: ${reply.body.slice(0, 300)}`);
      return reply;
    },
    divsOf: async (slug, query = '') => (await articles.read(`${slug}/voxels${query}`)).json['divs'] as Div[],
  };
  return articles;
}

export function failures(report: Report): string[] {
  return report.checks.filter(({ ok }) => !ok).map(({ id, detail, at }) => `${id} ${at ?? ''}: ${detail}`);
}

export async function expectVerified(check: Promise<Report>, what: string): Promise<void> {
  const report = await check;
  expect([what, ...failures(report)]).toEqual([what]);
  expect(report.checks.length).toBeGreaterThan(0);
}
