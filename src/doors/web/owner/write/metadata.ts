/** Title, tags, category, image and place in a series as the forms have them, and as ARTICLE_META takes them (contract §3). */
import { loadRevision } from '../../../../app/reads/editing.ts';
import { traversalOf } from '../../../../domain/articles/traversal.ts';
import { violation } from '../../../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { sameJson, type JsonObject } from '../../../../kernel/json.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { type Filed, metaOf, type MetaView } from './meta-form.tsx';
import { callRow, type OpenArticle } from './desk.ts';

export function tagsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

export function placeOf({
  series,
  position,
}: Pick<Filed, 'series' | 'position'>): JsonObject | Fault | undefined {
  if (series.trim() === '') return undefined;
  const at = position.trim();
  if (at !== '' && !/^[1-9]\d{0,5}$/.test(at)) {
    const message = 'The place in the series is no whole number from 1.';
    return fault('content_rule', message, 'Count from 1, or leave it empty.', {
      violations: [violation('traversal', '/position', message, 'Count from 1, or leave it empty.')],
    });
  }
  return { series: series.trim(), ...(at === '' ? {} : { position: Number(at) }) };
}

/** The members of the metadata that a form names. */
export function metaFieldsOf(form: Form): Partial<MetaView> {
  const named = (['title', 'tags', 'category', 'series', 'position', 'hero'] as const).flatMap((name) => {
    const value = form.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(named);
}

/**
 * ARTICLE_META with what the form changes. Compare-and-set is on the metadata that the form was made from: a claim or a
 * text that was saved meanwhile is no reason to refuse it.
 */
export async function saveMeta(article: OpenArticle, form: Form): Promise<{ readonly inv: string } | Fault> {
  const { state, access, server } = article;
  const { row } = state;
  const from = Number(form.get('version'));
  if (from !== row.version) {
    const base = await loadRevision(server.service, access, from);
    if (isFault(base)) return base;
    const metaAt = ({ title, status, meta }: typeof row): JsonObject => ({
      title,
      status,
      meta: { ...meta },
    });
    if (!sameJson(metaAt(base.row), metaAt(row)))
      return fault(
        'conflict',
        `The metadata changed since version ${from}: it is now “${row.title}”, ${row.status}, ${row.meta.tags.length === 0 ? 'no tags' : `tagged ${row.meta.tags.join(', ')}`}.`,
        'Your fields are kept below; send them again to replace it.',
      );
  }
  const given = metaFieldsOf(form);
  const was = metaOf(article);
  const changed = <N extends keyof MetaView>(name: N): boolean =>
    given[name] !== undefined && String(given[name]).trim() !== was[name];
  const place = changed('series') || changed('position') ? placeIn(article, { ...was, ...given }) : {};
  if (isFault(place)) return place;
  const status = form.get('status');
  return callRow(
    article,
    'ARTICLE_META',
    {
      slug: row.slug,
      expected_version: row.version,
      ...(status === undefined ? {} : { status }),
      // The title is sent in any case: a form that changes nothing is answered with that.
      ...(given.title === undefined ? {} : { title: given.title }),
      ...(changed('tags') ? { tags: tagsIn(given.tags ?? '') } : {}),
      ...(changed('category')
        ? { category: given.category?.trim() === '' ? null : (given.category ?? null) }
        : {}),
      ...(changed('hero') ? { hero: given.hero?.trim() === '' ? null : (given.hero ?? null) } : {}),
      ...place,
    },
    form.get('once'),
  );
}

/** The article's place with another series or position; its neighbours stay. */
function placeIn({ state: { row } }: OpenArticle, meta: MetaView): JsonObject | Fault {
  const place = placeOf(meta);
  if (isFault(place)) return place;
  const { prev = null, next = null, hub = null } = traversalOf(row.meta) ?? {};
  const neighbours = Object.fromEntries(
    Object.entries({ prev, next, hub }).filter(([, slug]) => slug !== null),
  ) as JsonObject;
  if (place === undefined && Object.keys(neighbours).length === 0) return { extra: { normandy_v1: null } };
  return { traversal: { ...neighbours, ...place } };
}
