/**
 * The notes that `represent/vault.ts` writes, read again: an article's text without the lists that were added behind
 * it, and its claims and sources. Edited notes are read as far as they keep that form.
 */
import { readFrontMatter } from './front-matter.ts';

export interface ExportedSource {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly title: string;
  readonly quote: string;
  readonly summary: string;
  readonly accessed_at: string | undefined;
}

export interface ExportedClaim {
  readonly id: string;
  readonly text: string;
  readonly tier: string;
  readonly who_claims: string;
  readonly why_material: string;
  readonly source_ids: readonly string[];
}

const lists =
  /(?:\n\n---\n\n## (?:Claims|Sources)\n\n- \[\[(?:Claims|Sources)\/[^\n]*(?:\n- \[\[(?:Claims|Sources)\/[^\n]*)*)+\n*$/;

/** A note of an article as it was before the export added to it. */
export function withoutExportedParts(body: string, properties: Readonly<Record<string, unknown>>): string {
  if (typeof properties['content_hash'] !== 'string' || typeof properties['permalink'] !== 'string')
    return body;
  const [, fence, front] = /^(`{3,})yaml\n(---\n[^]*?\n---)\n\1\n\n\^d\d+\n\n/.exec(body) ?? [];
  const text = body.replace(lists, '\n');
  if (fence === undefined || front === undefined) return text;
  return `${front}\n\n${text.replace(/^`{3,}yaml\n[^]*?\n`{3,}\n\n\^d\d+\n\n/, '')}`;
}

export function exportedSources(texts: ReadonlyMap<string, string>, slug: string): ExportedSource[] {
  return numbered(texts, `Sources/${slug}-`, 's').flatMap(({ id, properties, body }) => {
    const [quote = '', rest = ''] = body.split(`\n\n^${id}\n`, 2);
    const [, summary = ''] = /^\n## Summary\n\n((?:>[^\n]*(?:\n|$))*)/.exec(rest) ?? [];
    const url = propertyOf(properties, 'url');
    if (url === '' || quote === '') return [];
    const accessed = propertyOf(properties, 'accessed');
    return [
      {
        id,
        type: propertyOf(properties, 'type'),
        url,
        title: propertyOf(properties, 'title'),
        quote: unquoted(quote),
        summary: unquoted(summary),
        accessed_at: accessed === '' ? undefined : accessed,
      },
    ];
  });
}

export function exportedClaims(texts: ReadonlyMap<string, string>, slug: string): ExportedClaim[] {
  return numbered(texts, `Claims/${slug}-`, 'c').flatMap(({ id, properties, body }) => {
    const [claim = '', rest = ''] = body.split(`\n\n^${id}\n`, 2);
    if (claim === '' || propertyOf(properties, 'status') !== 'active') return [];
    const [, why = ''] = /\n## Why it matters\n\n((?:>[^\n]*(?:\n|$))*)/.exec(rest) ?? [];
    const sources = Array.isArray(properties['sources']) ? (properties['sources'] as unknown[]) : [];
    return [
      {
        id,
        text: unquoted(claim),
        tier: propertyOf(properties, 'tier'),
        who_claims: propertyOf(properties, 'who_claims'),
        why_material: unquoted(why),
        source_ids: sources.flatMap((link) => /-(s\d+)\]\]$/.exec(String(link))?.[1] ?? []),
      },
    ];
  });
}

function numbered(texts: ReadonlyMap<string, string>, start: string, letter: string) {
  return [...texts]
    .flatMap(([path, content]) => {
      const id = new RegExp(`^(${letter}\\d{1,7})\\.md$`).exec(path.slice(start.length))?.[1];
      return path.startsWith(start) && id !== undefined ? [{ id, ...readFrontMatter(content) }] : [];
    })
    .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}

function propertyOf(properties: Readonly<Record<string, unknown>>, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

function unquoted(lines: string): string {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n');
}
