/** The starter articles of `content/`, written into an empty ledger the way anybody would: row by row, receipted. */
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
  readonly traversal: JsonObject;
  readonly sources: readonly JsonObject[];
  readonly claims: readonly JsonObject[];
}

/** Answers with how many articles were made. Throws at the first row that was refused. */
export async function seed(folder: string): Promise<number> {
  const content = projectFile('content/');
  if (!existsSync(content)) return 0;
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
    await call(folder, '/api/protocol/voxel-batch', { document: { slug, title, tags, category, markdown } });
    if (starter.sources.length > 0)
      await call(folder, '/api/protocol/sources', { slug, sources: starter.sources });
    for (const claim of starter.claims) await call(folder, '/api/protocol/claim', { slug, ...claim });
    const version = 1 + (starter.sources.length > 0 ? 1 : 0) + starter.claims.length;
    await call(folder, '/api/protocol/article', {
      slug,
      expected_version: version,
      register: starter.register,
      traversal: starter.traversal,
    });
    made++;
  }
  return made;
}

async function call(folder: string, path: string, body: JsonObject): Promise<void> {
  const answer = await callOwner(folder, 'POST', path, JSON.stringify(body));
  if (answer.body['ok'] === true) return;
  throw new Error(`seeding stopped at ${path}: ${JSON.stringify(answer.body).slice(0, 600)}`);
}
