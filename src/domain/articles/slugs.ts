/** Slugs (contract §5): what a reader types, what an article is called inside its workspace. */
import { about, fault, type Fault } from '../../kernel/fault.ts';
import { refusalOf, violation, type Violation } from '../violations.ts';

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

/** Room is left for a number. */
const derivedCharsMax = 72;

/** The workspace that exists in every deployment. */
export const mainTenant = 'main';

/** Stands between a workspace's name and the rest of a slug; in no name and nowhere else in a slug. */
const afterWorkspace = '--';

/** The workspace that a slug names: the word before its double hyphen, `main` where it has none. */
export function workspaceOfSlug(slug: string | undefined): string {
  const at = slug?.indexOf(afterWorkspace) ?? -1;
  return slug === undefined || at < 0 ? mainTenant : slug.slice(0, at);
}

/** The parts of an address within a workspace: `what-the-ledger-is/c2` is a claim, without a part the article. */
export function splitAddress(address: string): { readonly slug: string; readonly part: string } {
  const [slug = '', part = ''] = address.split('/', 2);
  return { slug, part };
}

/** The slug that an article called `slug` anywhere has in `workspace`. */
export function slugIn(workspace: string, slug: string): string {
  return `${prefixOf(workspace)}${localSlug(slug)}`;
}

/** What a slug says behind the name of its workspace. */
export function localSlug(slug: string): string {
  const at = slug.indexOf(afterWorkspace);
  return at < 0 ? slug : slug.slice(at + afterWorkspace.length);
}

/** The same for a slug that was made from a title, cut where it would be too long. */
export function derivedSlugIn(workspace: string, slug: string): string {
  const prefix = prefixOf(workspace);
  return `${prefix}${slug.slice(0, derivedCharsMax - prefix.length).replace(/-+$/, '')}`;
}

function prefixOf(workspace: string): string {
  return workspace === mainTenant ? '' : `${workspace}${afterWorkspace}`;
}

/**
 * Checks a slug that a caller typed at `at`, for the workspace that the call is in. Another's slug leads nowhere from
 * there, whether or not it names an article (contract §2).
 */
export function checkSlug(
  slug: string,
  workspace: string = mainTenant,
  at: string = '/slug',
): Fault | undefined {
  const meant = workspaceOfSlug(slug);
  if (meant !== workspace) return notHere(slug, meant, workspace);
  const prefix = prefixOf(workspace);
  return refusalOf(mayName(slug, slug.slice(prefix.length)) ? [] : [malformed(slug, at, prefix)]);
}

function notHere(slug: string, meant: string, workspace: string): Fault {
  return meant === mainTenant
    ? about(
        fault(
          'not_found',
          `"${slug.slice(0, 100)}" is no slug of the workspace ${workspace}, which this call is in.`,
          `Send a slug that begins with ${prefixOf(workspace)}, or a credential of the workspace that is meant.`,
        ),
        { kind: 'article', id: slug },
      )
    : about(
        fault(
          'not_found',
          `There is no workspace ${meant.slice(0, 60)} that you could write to.`,
          'Leave out what stands before the double hyphen and the hyphens, or send a credential of that workspace.',
        ),
        { kind: 'article', id: slug },
      );
}

/** What is wrong with a slug in every workspace. */
export function slugRules(slug: string | null | undefined, at: string): Violation[] {
  if (typeof slug !== 'string' || mayName(slug, localSlug(slug))) return [];
  return [malformed(slug, at, '')];
}

function malformed(slug: string, at: string, prefix: string): Violation {
  return violation(
    'malformed',
    at,
    `"${slug.slice(0, 100)}" cannot be a slug.`,
    `Use 2 to 80 characters of a-z, 0-9 and single hyphens${prefix === '' ? '' : ` after ${prefix}`}, and none of the reserved names.`,
  );
}

function mayName(slug: string, own: string): boolean {
  return slug.length >= 2 && slug.length <= 80 && pattern.test(own) && !reserved.has(own);
}

/** A slug made from a title: its Latin letters and digits; a title without any is named by `fallback`. */
export function slugFrom(title: string, fallback: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, derivedCharsMax)
    .replace(/-+$/, '');
  if (plain.length < 2) return fallback;
  return reserved.has(plain) ? `${plain}-article` : plain;
}

/** The n-th try for a free slug: `title`, `title-2`, `title-3` … */
export function slugAttempt(slug: string, n: number): string {
  return n <= 1 ? slug : `${slug}-${n}`;
}
