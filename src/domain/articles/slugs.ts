/** Slugs (contract §5): what a reader types, what an article is called inside its workspace. */
import { fault, type Fault } from '../../kernel/fault.ts';

const pattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Names that the API uses for itself below `/api/articles`. */
const reserved = new Set([
  'constitution',
  'ontology',
  'system-map',
  'llm-manifest',
  'obsidian-vault',
  'new',
  'search',
  'index',
  'lint',
  'compare',
]);

/** The workspace that exists in every deployment. */
export const mainTenant = 'main';

/** Checks a slug that a caller typed, for the workspace it is meant for. */
export function checkSlug(slug: string, workspace: string = mainTenant): Fault | undefined {
  const prefix = workspace === mainTenant ? '' : `${workspace}--`;
  const own = slug.startsWith(prefix) ? slug.slice(prefix.length) : '';
  if (slug.length >= 2 && slug.length <= 80 && pattern.test(own) && !reserved.has(own)) return undefined;
  return fault(
    'invalid_request',
    `"${slug.slice(0, 100)}" cannot be a slug.`,
    `Use 2 to 80 characters of a-z, 0-9 and single hyphens${prefix === '' ? '' : ` after ${prefix}`}, and none of the reserved names.`,
    { parameter: 'slug' },
  );
}

/** A slug made from a title: its Latin letters and digits; a title without any is named by `fallback`. */
export function slugFrom(title: string, fallback: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 72)
    .replace(/-+$/, '');
  if (plain.length < 2) return fallback;
  return reserved.has(plain) ? `${plain}-article` : plain;
}

/** The n-th try for a free slug: `title`, `title-2`, `title-3` … */
export function numbered(slug: string, n: number): string {
  return n <= 1 ? slug : `${slug}-${n}`;
}
