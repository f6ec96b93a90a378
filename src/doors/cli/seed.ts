/** Writes the starter articles of `content/` into an empty ledger, row by row with receipts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../kernel/json.ts';
import { callOwner } from './owner-socket.ts';
import { projectFile } from '../project-root.ts';

interface Starter {
  readonly slug: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly category: string;
  readonly register: string;
  /** Whether the home page lists it as a starting point. */
  readonly home?: boolean;
  readonly traversal: JsonObject;
  readonly sources: readonly JsonObject[];
  readonly claims: readonly JsonObject[];
  /** Objections that stand open against claims, so that a reader sees one. */
  readonly objections?: readonly Readonly<Record<'claim' | 'objection', string>>[];
}

export interface Seeded {
  /** Complete articles. */
  readonly made: number;
  /** The refusal that ended seeding: a deployment may have tighter limits than an article needs. */
  readonly stopped?: string;
}

export async function seed(folder: string): Promise<Seeded> {
  const content = projectFile('content/');
  if (!existsSync(content)) return { made: 0 };
  const folders = readdirSync(content, { withFileTypes: true })
    .filter((each) => each.isDirectory() && existsSync(new URL(`${each.name}/article.json`, content)))
    .map((each) => each.name)
    .sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
  let made = 0;
  for (const name of folders) {
    const at = new URL(`${name}/`, content);
    const starter = JSON.parse(readFileSync(new URL('article.json', at), 'utf8')) as Starter;
    const { slug, title, tags, category } = starter;
    const markdown = readFileSync(new URL('article.md', at), 'utf8');
    const version = 1 + (starter.sources.length > 0 ? 1 : 0) + starter.claims.length;
    const writes: readonly (readonly [path: string, body: JsonObject])[] = [
      ['/api/protocol/voxel-batch', { document: { slug, title, tags, category, markdown } }],
      ...(starter.sources.length > 0
        ? [['/api/protocol/sources', { slug, sources: starter.sources }] as const]
        : []),
      ...starter.claims.map((claim) => ['/api/protocol/claim', { slug, ...claim }] as const),
      [
        '/api/protocol/article',
        {
          slug,
          expected_version: version,
          register: starter.register,
          traversal: starter.traversal,
          ...(starter.home === undefined ? {} : { home: starter.home }),
        },
      ],
      ...(starter.objections ?? []).map(
        ({ claim, ...said }) =>
          ['/api/dispatch', { key: 'OBJECTION_LOG', body: { slug: `${slug}/${claim}`, ...said } }] as const,
      ),
    ];
    for (const [path, body] of writes) {
      const { body: answer } = await callOwner(folder, 'POST', path, JSON.stringify(body));
      if (answer['ok'] !== true)
        return { made, stopped: `${slug}, ${path.replace(/.*\//, '')}: ${String(answer['detail'])}` };
    }
    made++;
  }
  return { made };
}
