/** A part of one article as another shows it: its words as a quotation, and where they stand (spec §2.11 should_transclude). */
import { bodyOf, type ArticleState } from '../articles/state.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { links } from '../links.ts';

/** Markdown. The hash says which words were taken, so that a reader sees whether they have changed since. */
export function transclusion(article: ArticleState, target: string, base: string): string {
  const { slug, title } = article.row;
  const div = article.divs.get(target);
  if (div !== undefined) return quoted(div.text, target, slug, links.div(base, slug, target), div.vx_hash);
  const claim = article.claims.get(target)?.claim;
  if (claim !== undefined)
    return quoted(claim.text, target, slug, links.claim(base, slug, target), claim.hash);
  return quoted(escaped(title), 'all', slug, links.article(base, slug), sha256Hex(bodyOf(article)));
}

function quoted(text: string, part: string, slug: string, url: string, hash: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => (line === '' ? '>' : `> ${line}`));
  return [...lines, '>', `> — [${part} of ${slug}](${url}), SHA-256 \`${hash}\``, ''].join('\n');
}

function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#!|~]/g, '\\$&');
}
