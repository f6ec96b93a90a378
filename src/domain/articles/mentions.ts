/**
 * Which articles the text, the claims and the sources of others link to (contract §8, "what links here"). A row says
 * that a path `/a/<slug>` stands in a text; whether it leads to this deployment is judged when it is shown.
 */
import type { Projection } from '../../engine/act.ts';
import { table, text } from '../../engine/tables.ts';

/** `from` is the opaque id of the linking article and the id of its block, claim or source. */
export const mentionTable = table('mention', {
  key: { to: text(), from: text() },
  columns: { aid: text(), ref: text() },
  compact: true,
});

const path = /\/a\/([a-z0-9-]{2,120})(?![\w-])/g;

/** The slugs that a text links to, each once. */
function mentionedSlugs(written: string): ReadonlySet<string> {
  const slugs = new Set<string>();
  // Most texts link to no article.
  if (!written.includes('/a/')) return slugs;
  for (const [, slug] of written.matchAll(path)) if (slug !== undefined) slugs.add(slug);
  return slugs;
}

/** Keeps the rows of one block, claim or source in step with its text; a text that left is ''. */
export function projectMentions(
  aid: string,
  ref: string,
  before: string,
  after: string,
  to: Projection,
): void {
  const [was, is] = [mentionedSlugs(before), mentionedSlugs(after)];
  const from = `${aid} ${ref}`;
  for (const slug of was) if (!is.has(slug)) to.remove(mentionTable, slug, from);
  for (const slug of is) if (!was.has(slug)) to.put(mentionTable, { to: slug, from, aid, ref });
}
