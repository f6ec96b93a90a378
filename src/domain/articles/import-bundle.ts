/**
 * Taking in a bundle from another deployment (contract §5 via spec §4.3): its chains are verified from genesis
 * and its contents against their commitments before anything is written; DIV ids, claims and who posted them
 * are kept; and the receiving ledger records where it all came from, with the foreign chains as evidence.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { verifyChain } from '../../ledger/chain.ts';
import { commitment } from '../../ledger/entry.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { plainWording } from './claim-rules.ts';
import { divide, join, kindOf } from './divide.ts';
import { divEntry, provenance, sourceEntry, type DivLayout } from './events.ts';
import type { ArticleState } from './state.ts';
import { articleBytesMax } from './write-document.ts';
import { tierWeights, type ArticleMeta, type Claim, type Source } from './tables.ts';

interface BundleDiv {
  readonly div_id: string;
  readonly text: string;
  readonly sep: string;
  readonly status: string;
  readonly vx_hash: string;
}

export interface Bundle {
  readonly slug: string;
  readonly title: string;
  readonly meta: ArticleMeta;
  readonly lead: string;
  readonly body: string;
  readonly content_hash: string;
  readonly divs: readonly BundleDiv[];
  readonly claims: readonly Claim[];
  readonly sources: readonly Source[];
  readonly origin: JsonObject;
  readonly chains: JsonObject;
  readonly entries: number;
}

interface OpenEntry {
  readonly entry: JsonObject;
  readonly hash: string;
  readonly contents: Readonly<Record<string, { readonly salt: string | null; readonly value: JsonValue }>>;
}

/** Reads and verifies a bundle that anybody may have written. Every breach is named. */
export function readBundle(value: JsonObject): Bundle | Fault {
  const violations: JsonObject[] = [];
  const say = (at: string, message: string): void => {
    if (violations.length < 100) violations.push({ code: 'bundle', at, message, fix: 'Export the bundle again from where it came from.' });
  };
  if (value['bundle_version'] !== 1) return refuse([{ code: 'bundle', at: '/bundle_version', message: 'The bundle is not of version 1.', fix: 'Export it with a service that writes version 1.' }]);
  const divs = objectsIn(value['voxels']) as unknown as readonly BundleDiv[];
  const chains = (value['chains'] ?? {}) as unknown as Readonly<Record<string, readonly OpenEntry[]>>;
  const body = String(value['body'] ?? '');
  const lead = String(value['lead'] ?? '');
  let entries = 0;
  try {
    for (const [name, chain] of Object.entries(chains)) {
      const verdict = verifyChain(chain.map(({ entry, hash }) => ({ entry, hash })) as never);
      if (!verdict.valid) say(`/chains/${name}/${verdict.broken_at}`, verdict.reason);
      for (const [n, open] of chain.entries()) for (const problem of contentProblems(open)) say(`/chains/${name}/${n}`, problem);
      entries += chain.length;
    }
  } catch {
    say('/chains', 'The chains cannot be read.');
  }
  if (entries === 0) say('/chains', 'The bundle holds no chains; a slim bundle cannot be imported.');
  const current = divs.filter((div) => div.status === 'current');
  for (const [i, div] of divs.entries()) {
    if (!/^d[1-9][0-9]{0,6}$/.test(div.div_id) || typeof div.text !== 'string' || typeof div.sep !== 'string') say(`/voxels/${i}`, 'The DIV cannot be read.');
    else if (sha256Hex(div.text) !== div.vx_hash) say(`/voxels/${i}`, `The text of ${div.div_id} does not hash to its vx_hash.`);
  }
  if (violations.length > 0) return refuse(violations);
  if (join(lead, current) !== body || sha256Hex(body) !== value['content_hash']) say('/body', 'The DIVs do not join to the body, or the body does not hash to content_hash.');
  const division = divide(body);
  if (isFault(division)) say('/body', division.message);
  if (Buffer.byteLength(body) > articleBytesMax) say('/body', `The body is larger than ${articleBytesMax} bytes.`);
  if (new Set(divs.map((div) => div.div_id)).size !== divs.length || current.length === 0) say('/voxels', 'DIV ids must differ, and at least one DIV must be current.');
  const claims = objectsIn(value['claims']) as unknown as readonly Claim[];
  for (const [i, claim] of claims.entries()) {
    if (!/^c[1-9][0-9]{0,6}$/.test(claim.id) || typeof claim.text !== 'string' || !((claim.tier as string) in tierWeights)) say(`/claims/${i}`, 'The claim cannot be read.');
    else if (sha256Hex(claim.text) !== claim.hash) say(`/claims/${i}`, `The text of ${claim.id} does not hash to its hash.`);
  }
  const sources = objectsIn(value['sources']) as unknown as readonly Source[];
  for (const [i, source] of sources.entries()) if (typeof source.url !== 'string' || !/^https?:\/\//.test(source.url) || typeof source.quote !== 'string' || source.id !== `s${i + 1}`) say(`/sources/${i}`, 'The source cannot be read.');
  if (violations.length > 0) return refuse(violations);
  return {
    slug: String(value['slug']), title: String(value['title']).slice(0, 300), meta: metaOf(value['meta']), lead, body,
    content_hash: String(value['content_hash']), divs, claims, sources, origin: originOf(value['origin']), chains: chains as unknown as JsonObject, entries,
  };
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item)) : [];
}

function textOr<D>(value: unknown, otherwise: D): string | D {
  return typeof value === 'string' ? value : otherwise;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function plainObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Metadata as far as it is of the right type; what is not is left behind. */
function metaOf(value: JsonValue | undefined): ArticleMeta {
  const meta = plainObject(value);
  return {
    hero: textOr(meta['hero'], null),
    images: textsIn(meta['images']),
    style: plainObject(meta['style']),
    tags: textsIn(meta['tags']),
    category: textOr(meta['category'], null),
    model: textOr(meta['model'], null),
    embeds: textsIn(meta['embeds']),
    widgets: textsIn(meta['widgets']),
    home: false,
    register: textOr(meta['register'], 'standard'),
    extra: plainObject(meta['extra']),
  };
}

function originOf(value: JsonValue | undefined): JsonObject {
  const origin = plainObject(value);
  return Object.fromEntries(['base', 'log', 'verifier_key', 'checkpoint', 'article'].map((name) => [name, textOr(origin[name], null)]));
}

function contentProblems({ entry, contents }: OpenEntry): string[] {
  const problems: string[] = [];
  for (const [field, { salt, value }] of Object.entries(contents)) {
    if (value === null && salt === null) continue;
    const sha = salt === null ? sha256Hex(String(value)) : commitment(Buffer.from(salt, 'hex'), canonicalJson(value));
    if (sha !== entry[field]) problems.push(`The content of ${field} does not match its commitment.`);
  }
  return problems;
}

function refuse(violations: readonly JsonObject[]): Fault {
  return fault('content_rule', `The bundle does not hold up in ${violations.length} place${violations.length === 1 ? '' : 's'}.`, 'Get the bundle again from its origin; nothing was written.', { violations });
}

/** Creates the article. Inactive DIVs stay behind in the evidence; current ones keep their ids. */
export function importBundle(bundle: Bundle, slug: string, aid: string, context: Context): Outcome<ArticleState> {
  const current = bundle.divs.filter((div) => div.status === 'current');
  const made = current.map((div, i): DivLayout => {
    const { kind, level, title } = kindOf(div.text, i === 0 ? bundle.lead : undefined);
    return { div_id: div.div_id, pos: i + 1, kind, level, title, sep: div.sep };
  });
  const from = { ...bundle.origin, slug: bundle.slug, content_hash: bundle.content_hash, entries: bundle.entries };
  const claims = bundle.claims.map((claim) => {
    const text = claim.text;
    const weight = claim.status === 'retracted' ? 0 : tierWeights[claim.tier];
    return { n: Number(claim.id.slice(1)), plain: plainWording(text), claim: claimOf(claim, weight, from) };
  });
  const sources = bundle.sources.map((source): Source => ({
    id: source.id,
    type: textOr(source.type, 'unknown'),
    url: source.url,
    title: textOr(source.title, source.url),
    quote: source.quote,
    summary: textOr(source.summary, ''),
    quality_score: typeof source.quality_score === 'number' ? source.quality_score : null,
    source_role: textOr(source.source_role, null),
    platform: textOr(source.platform, null),
    software_class: textOr(source.software_class, null),
    found_by: textOr(source.found_by, 'unknown'),
    accessed_at: textOr(source.accessed_at, context.now),
  }));
  const first = provenance(aid, null, context, 'import', 1, {
    created: { tenant: context.tenant, slug, lead: bundle.lead },
    title: bundle.title, status: 'published', meta: bundle.meta, made, claims, sources_made: sources.length, imported: from,
  });
  const events: EventDraft[] = [
    { ...first, contents: [...(first.contents ?? []), { field: 'evidence_sha', value: bundle.chains }] },
    ...current.map((div) => divEntry(aid, div.div_id, null, context, 'divide', { text: div.text })),
    ...sources.map((source, i) => sourceEntry(aid, i === 0 ? null : 'previous', context, source)),
  ];
  return {
    events,
    conclude(_, after) {
      const permalink = links.article(context.base, slug);
      return {
        result: {
          slug, title: after.row.title, created: true, revision: after.row.version, permalink, imported_from: from,
          divs: made.map(({ div_id }) => ({ div_id, vx_hash: after.divs.get(div_id)?.vx_hash ?? '', permalink: links.div(context.base, slug, div_id) })),
          claims: claims.length, sources: sources.length,
        },
        text: `Imported "${after.row.title}" with ${bundle.entries} verified entries: ${permalink}`,
        material: [{ kind: 'article', id: slug, url: permalink }],
      };
    },
  };
}

/** The claim as it was posted there; the weight is this ledger's own. */
function claimOf(claim: Claim, weight: number, from: JsonObject): Claim {
  const ids = textsIn(claim.source_ids);
  const by = plainObject(claim.posted_by);
  return {
    id: claim.id,
    text: claim.text,
    tier: claim.tier,
    source_ids: ids,
    source_status: ids.length > 0 ? 'sourced' : 'unsourced',
    why_material: textOr(claim.why_material, null),
    evidence_basis: textOr(claim.evidence_basis, null),
    materiality:  claim.materiality,
    weight,
    status: claim.status === 'retracted' ? 'retracted' : 'active',
    falsifier: textOr(claim.falsifier, null),
    who_claims: textOr(claim.who_claims, 'unknown'),
    posted_by: {
      actor: textOr(by['actor'], 'unknown'),
      channel: textOr(by['channel'], 'import'),
      ts: textOr(by['ts'], ''),
      model: textOr(by['model'], null),
      rationale: textOr(by['rationale'], null),
    },
    slot: textOr(claim.slot, null),
    section: textOr(claim.section, null),
    source_role: textOr(claim.source_role, null),
    extra: { ...plainObject(claim.extra), imported_from: from['base'] ?? null },
    hash: claim.hash,
    version: typeof claim.version === 'number' ? claim.version : 1,
  };
}
