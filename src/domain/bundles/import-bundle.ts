/**
 * Taking in a bundle from another deployment (spec §4.3): DIV ids, claims and who posted them are kept, DIVs that
 * left the article come along as what they were, and the receiving ledger records where it all came from, with the
 * foreign chains as evidence.
 */
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Content, EventDraft } from '../../engine/act.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { isWebAddress } from '../articles/edit-meta.ts';
import { plainWording } from '../similarity/normalise.ts';
import { kindOf } from '../articles/divide.ts';
import { unpublishedField } from '../articles/unpublished-contents.ts';
import { divEntry, provenance, sourceEntry, type DivLayout } from '../articles/events.ts';
import { activeDivs, claimsOf, sourcesOf, type ArticleState } from '../articles/state.ts';
import { titleCharsMax } from '../articles/write-document.ts';
import { type DivRow } from '../articles/tables.ts';
import type { ArticleMeta } from '../../model/article.ts';
import { brokenRules, importRefusal } from './import-rules.ts';
import { evidenceOf, removedDivs, removedAfterPublication } from './evidence.ts';
import { plainObject, textOr, textsIn, type Bundle } from './bundle.ts';
import { tierWeights } from '../../model/vocabulary.ts';
import type { Claim } from '../../model/claim.ts';
import type { Source } from '../../model/source.ts';
import { exactly } from '../../model/exact.ts';
import { ArticleImported } from '../../model/article-writes.ts';

/** What the receiving side decides for itself; what it leaves out stays as the bundle has it. */
export interface ImportChoices {
  readonly status: 'draft' | 'published' | undefined;
  readonly category: string | undefined;
  /** Breaches of content rules are taken in, each marked. */
  readonly acceptViolations: boolean;
}

/** Creates the article. DIVs keep their ids; those that left it before it was public stay behind in the evidence. */
export function importBundle(
  bundle: Bundle,
  slug: string,
  aid: string,
  choices: ImportChoices,
  context: Context,
): Outcome<ArticleState> | Fault {
  const refused = choices.acceptViolations ? undefined : importRefusal(bundle);
  if (refused !== undefined) return refused;
  const broken = brokenRules(bundle);
  const { row } = bundle.state;
  const current = activeDivs(bundle.state);
  const status = choices.status ?? (row.status === 'draft' ? 'draft' : 'published');
  // Removed blocks of a draft were private, and stay private when it is published here.
  const left = status === 'draft' ? removedDivs(bundle) : removedAfterPublication(bundle);
  const made = [...current, ...left].map((div, i): DivLayout => {
    const { kind, level, title } = kindOf(div.text, i === 0 ? row.lead : undefined);
    return { div_id: div.div_id, pos: i + 1, kind, level, title, sep: div.sep };
  });
  const from = {
    ...bundle.origin,
    slug: bundle.slug,
    content_hash: bundle.content_hash,
    entries: bundle.entries,
  };
  const claims = claimsOf(bundle.state).map((claim) => ({
    n: Number(claim.id.slice(1)),
    plain: plainWording(claim.text),
    claim: claimOf(claim, from, broken.get(claim.id)),
  }));
  const sources = sourcesOf(bundle.state).map(
    ({ source: { violations: _elsewhere, ...source } }): Source => ({
      ...source,
      ...marked(broken.get(source.id)),
    }),
  );
  const first = provenance(aid, null, context, 'import', 1, {
    created: { tenant: context.tenant, slug, lead: row.lead },
    title: textOr(row.title, slug).slice(0, titleCharsMax).toWellFormed(),
    status,
    meta: { ...metaOf(row.meta), ...(choices.category === undefined ? {} : { category: choices.category }) },
    made,
    divs_numbered: row.divs_made,
    ...(left.length === 0 ? {} : { left: left.map(({ div_id: id }) => id) }),
    claims,
    sources_made: sources.length,
    imported: from,
    ...(broken.size === 0 ? {} : { accepted_violations: Object.fromEntries(broken) }),
  });
  const { chains, held } = evidenceOf(bundle);
  const evidence: readonly Content[] = [
    { field: 'evidence_sha', value: chains },
    ...(held === undefined ? [] : [{ field: unpublishedField, value: held }]),
  ];
  const events: EventDraft[] = [
    { ...first, contents: [...(first.contents ?? []), ...evidence] },
    ...[...current, ...left].map((div) =>
      divEntry(aid, div.div_id, null, context, 'divide', { text: div.text }),
    ),
    ...left.map((div) => ending(aid, div, context)),
    ...sources.map((source, i) => sourceEntry(aid, i === 0 ? null : 'previous', context, source)),
  ];
  return {
    events,
    conclude(_, after) {
      const permalink = links.article(context.base, slug);
      return {
        result: exactly(ArticleImported, {
          slug,
          title: after.row.title,
          created: true,
          revision: after.row.version,
          permalink,
          imported_from: from,
          divs: current.map(({ div_id }) => ({
            div_id,
            vx_hash: after.divs.get(div_id)?.vx_hash ?? '',
            permalink: links.div(context.base, slug, div_id),
          })),
          claims: claims.length,
          sources: sources.length,
          accepted_violations: broken.size,
        }),
        text: `Imported "${after.row.title}" with ${bundle.entries} verified entries: ${permalink}`,
        material: [{ kind: 'article', id: slug, url: permalink }],
      };
    },
  };
}

/** A DIV that left the article there leaves it here as it came. */
function ending(aid: string, { div_id: id, status, vx_hash }: DivRow, context: Context): EventDraft {
  const op = status === 'consolidated' ? 'absorb' : 'burn';
  return divEntry(aid, id, 'previous', context, op, { text_sha: vx_hash });
}

function marked(broken: readonly string[] | undefined): { readonly violations?: readonly string[] } {
  return broken === undefined ? {} : { violations: broken };
}

/** The claim as it was posted there; what follows from its sources and tier is worked out anew. */
function claimOf(claim: Claim, from: JsonObject, broken: readonly string[] | undefined): Claim {
  const { violations: _elsewhere, ...extra } = claim.extra;
  return {
    ...claim,
    source_status: claim.source_ids.length > 0 ? 'sourced' : 'unsourced',
    weight: claim.status === 'retracted' ? 0 : tierWeights[claim.tier],
    extra: { ...extra, imported_from: textOr(from['base'], null), ...marked(broken) },
  };
}

/** Metadata as far as it is of the right type and its addresses are of the web; what is not is left behind. */
function metaOf(value: JsonValue | undefined): ArticleMeta {
  const meta = plainObject(value);
  return {
    hero: isWebAddress(meta['hero']) ? meta['hero'] : null,
    images: textsIn(meta['images']).filter(isWebAddress),
    style: plainObject(meta['style']),
    tags: textsIn(meta['tags']),
    category: textOr(meta['category'], null),
    model: textOr(meta['model'], null),
    embeds: textsIn(meta['embeds']).filter(isWebAddress),
    widgets: textsIn(meta['widgets']),
    home: false,
    register: textOr(meta['register'], 'standard'),
    extra: plainObject(meta['extra']),
  };
}
