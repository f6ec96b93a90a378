/** Which public article a call is about, for limits that are counted by article whatever door it comes through. */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import { isFault } from '../../kernel/fault.ts';
import { seeArticle } from '../reads/articles.ts';
import type { Service } from '../service.ts';

/** The slug of an existing article, or nothing: made-up names must not fill anybody's counters. */
export async function articleOfCall(
  service: Service,
  key: string,
  body: string,
): Promise<string | undefined> {
  const row = service.rows.get(key);
  if (row === undefined || row.safe || row.auth !== 'none') return undefined;
  const args = argumentsOf(row, body);
  if (isFault(args)) return undefined;
  const slug = args['slug'] ?? args['target'];
  if (typeof slug !== 'string') return undefined;
  const seen = await seeArticle(service, mainTenant, slug, { kind: 'anonymous' });
  return isFault(seen) ? undefined : seen.slug;
}
