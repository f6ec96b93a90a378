/**
 * Taking in a bundle from another deployment (contract §5 via spec §4.3): its chains are verified from genesis
 * and its contents against their commitments before anything is written; DIV ids, claims and who posted them
 * are kept; and the receiving ledger records where it all came from, with the foreign chains as evidence.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { verifyChain } from '../../ledger/chain.ts';
import { commitment, type Entry } from '../../ledger/entry.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { violation as breach, type Violation } from '../violations.ts';
import { MemoryProjection } from '../../engine/memory-projection.ts';
import { parseArticleChain } from './chains.ts';
import { isWebAddress } from './edit-meta.ts';
import { plainWording } from '../similarity/normalise.ts';
import { divide, kindOf } from './divide.ts';
import { projectArticle } from './project-article.ts';
import { divEntry, provenance, sourceEntry, type DivLayout } from './events.ts';
import { activeDivs, articleOf, bodyOf, claimsOf, sourcesOf, type ArticleState } from './state.ts';
import { tooLarge } from './write-document.ts';
import { tierWeights, type ArticleMeta, type Claim, type Source } from './tables.ts';

export interface Bundle {
  readonly slug: string;
  /** The article as its own chains give it: nothing else in the bundle is believed. */
  readonly state: ArticleState;
  readonly content_hash: string;
  readonly origin: JsonObject;
  readonly chains: JsonObject;
  readonly entries: number;
}

interface OpenContent {
  readonly salt: string | null;
  readonly value: JsonValue;
  /** What stands in for scrubbed content, as the scrub entry that names it has it. */
  readonly replacement?: JsonValue;
}

interface OpenEntry {
  readonly at: number;
  readonly entry: Entry;
  readonly hash: string;
  readonly contents: Readonly<Record<string, OpenContent>>;
}

/** Reads and verifies a bundle that anybody may have written. Every breach is named. */
export function readBundle(value: JsonObject): Bundle | Fault {
  if (value['bundle_version'] !== 1)
    return refuse([violation('/bundle_version', 'The bundle is not of version 1.')]);
  const chains = plainObject(value['chains']) as unknown as Readonly<Record<string, readonly OpenEntry[]>>;
  const violations: JsonObject[] = [];
  let state: ArticleState | undefined;
  let entries = 0;
  try {
    const scrubs = scrubsIn(chains);
    for (const [name, chain] of Object.entries(chains)) {
      const verdict = verifyChain(
        chain.map(({ entry, hash }) => ({ entry, hash })),
        { chain: name },
      );
      if (!verdict.valid) violations.push(violation(`/chains/${name}/${verdict.broken_at}`, verdict.reason));
      for (const [n, open] of chain.entries())
        for (const problem of [...contentProblems(open), ...replacementProblems(open, scrubs)])
          violations.push(violation(`/chains/${name}/${n}`, problem));
      entries += chain.length;
    }
    if (violations.length === 0) state = replayed(Object.values(chains).flat());
  } catch (error) {
    violations.push(violation('/chains', `The chains cannot be replayed: ${(error as Error).message}`));
  }
  if (entries === 0)
    violations.push(violation('/chains', 'The bundle holds no chains; a slim bundle cannot be imported.'));
  if (state !== undefined) violations.push(...shownProblems(state, value));
  if (state === undefined || violations.length > 0) return refuse(violations.slice(0, 100));
  return {
    slug: state.row.slug,
    state,
    content_hash: sha256Hex(bodyOf(state)),
    origin: originOf(value['origin']),
    chains: chains as unknown as JsonObject,
    entries,
  };
}

/** Everything in which a bundle does not hold up, by its place in the call. */
export function bundleRules(value: JsonObject): readonly Violation[] {
  const bundle = readBundle(value);
  return isFault(bundle) ? (bundle.details?.['violations'] as readonly Violation[]) : [];
}

/** The state that the article's own chains give, from which everything is taken over. */
function replayed(entries: readonly OpenEntry[]): ArticleState | undefined {
  const projection = new MemoryProjection();
  const ordered = [...entries].sort((a, b) => a.at - b.at);
  for (const { at, entry, hash, contents } of ordered) {
    const values = Object.fromEntries(
      Object.entries(contents).flatMap(([field, content]) => {
        const value = standing(content);
        return value === null ? [] : [[field, value] as const];
      }),
    );
    const replaced = Object.keys(contents).filter((field) => contents[field]?.replacement !== undefined);
    projectArticle(
      {
        seq: at,
        sealed: { entry, text: '', leaf: Buffer.from(hash, 'hex'), hash },
        contents: values,
        replaced,
      },
      projection,
    );
  }
  const first = ordered
    .map(({ entry }) => parseArticleChain(entry.chain))
    .find((chain) => chain !== undefined);
  return first === undefined ? undefined : articleOf(projection, first.aid);
}

/** What the bundle shows must be what its chains give; what is too large or not Markdown of ours stays out. */
function shownProblems(state: ArticleState, value: JsonObject): JsonObject[] {
  const body = bodyOf(state);
  const problems: JsonObject[] = [];
  const say = (at: string, message: string): void => {
    problems.push(violation(at, message));
  };
  if (activeDivs(state).length === 0) say('/chains', 'No DIV of the article is current.');
  if (value['body'] !== body || value['content_hash'] !== sha256Hex(body))
    say('/body', 'The body is not the one that the chains give.');
  if (isFault(divide(body))) say('/body', 'The body cannot be divided.');
  for (const div of state.divs.values())
    if (!/^d[1-9][0-9]{0,6}$/.test(div.div_id) || sha256Hex(div.text) !== div.vx_hash)
      say('/chains', `The text of ${div.div_id} is not there whole.`);
  for (const { claim } of state.claims.values()) {
    if (
      !/^c[1-9][0-9]{0,6}$/.test(claim.id) ||
      !Object.hasOwn(tierWeights, claim.tier) ||
      sha256Hex(claim.text) !== claim.hash
    )
      say('/chains', `The claim ${claim.id} cannot be read.`);
  }
  for (const [i, { source }] of sourcesOf(state).entries()) {
    if (source.id !== `s${i + 1}` || !/^https?:\/\//.test(source.url) || typeof source.quote !== 'string')
      say('/chains', `The source ${source.id} cannot be read.`);
  }
  const shown = (list: JsonValue | undefined, members: readonly string[]): string =>
    canonicalJson(objectsIn(list).map((item) => members.map((name) => item[name] ?? null)));
  if (
    shown(value['sources'], ['id', 'url', 'quote']) !==
    canonicalJson(sourcesOf(state).map(({ source }) => [source.id, source.url, source.quote]))
  )
    say('/sources', 'The sources are not those that the chains give.');
  const listed = objectsIn(value['voxels']);
  if (
    listed.length !== state.divs.size ||
    listed.some((div) => state.divs.get(String(div['div_id']))?.text !== div['text'])
  )
    say('/voxels', 'The DIVs are not those that the chains give.');
  if (
    shown(value['claims'], ['id', 'text', 'status']) !==
    canonicalJson(claimsOf(state).map((claim) => [claim.id, claim.text, claim.status]))
  )
    say('/claims', 'The claims are not those that the chains give.');
  return problems;
}

function violation(at: string, message: string): Violation {
  return breach('bundle', `/bundle${at}`, message, 'Export the bundle again from where it came from.');
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value)
    ? (value as readonly JsonValue[]).filter(
        (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
      )
    : [];
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

function originOf(value: JsonValue | undefined): JsonObject {
  const origin = plainObject(value);
  return Object.fromEntries(
    ['base', 'log', 'verifier_key', 'checkpoint', 'article'].map((name) => [
      name,
      textOr(origin[name], null),
    ]),
  );
}

function contentProblems({ entry, contents }: OpenEntry): string[] {
  const problems: string[] = [];
  for (const [field, { salt, value }] of Object.entries(contents)) {
    if (value === null && salt === null) continue;
    const sha =
      salt === null ? sha256Hex(String(value)) : commitment(Buffer.from(salt, 'hex'), canonicalJson(value));
    if (sha !== entry[field]) problems.push(`The content of ${field} does not match its commitment.`);
  }
  return problems;
}

function standing({ value, replacement }: OpenContent): JsonValue {
  return value ?? replacement ?? null;
}

/** What the scrub entries of the bundle say stands in for what, by the place of what was scrubbed. */
function scrubsIn(chains: Readonly<Record<string, readonly OpenEntry[]>>): ReadonlyMap<string, Set<string>> {
  const scrubs = new Map<string, Set<string>>();
  for (const { entry, contents } of Object.values(chains).flat()) {
    const said = contents['content_sha'];
    if (entry['action'] !== 'scrub' || said === undefined) continue;
    const { replacement } = plainObject(standing(said));
    if (replacement === undefined) continue;
    const place = `${String(entry['of'])} ${String(entry['of_n'])} ${String(entry['field'])}`;
    scrubs.set(place, (scrubs.get(place) ?? new Set()).add(canonicalJson(replacement)));
  }
  return scrubs;
}

function replacementProblems(
  { entry, contents }: OpenEntry,
  scrubs: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  return Object.entries(contents).flatMap(([field, { replacement }]) => {
    if (replacement === undefined) return [];
    const known = scrubs.get(`${entry.chain} ${entry.n} ${field}`);
    return known?.has(canonicalJson(replacement)) === true
      ? []
      : [`No scrub entry of the bundle commits to what replaces ${field}.`];
  });
}

function refuse(violations: readonly JsonObject[]): Fault {
  return fault(
    'content_rule',
    `The bundle does not hold up in ${violations.length} place${violations.length === 1 ? '' : 's'}.`,
    'Get the bundle again from its origin; nothing was written.',
    { violations },
  );
}

/** What the receiving side decides for itself; what it leaves out stays as the bundle has it. */
export interface ImportChoices {
  readonly status: 'draft' | 'published' | undefined;
  readonly category: string | undefined;
}

/** Creates the article. Inactive DIVs stay behind in the evidence; current ones keep their ids. */
export function importBundle(
  bundle: Bundle,
  slug: string,
  aid: string,
  choices: ImportChoices,
  context: Context,
): Outcome<ArticleState> | Fault {
  const { row } = bundle.state;
  const current = activeDivs(bundle.state);
  const large = tooLarge(row.lead, current, context.limits);
  if (large !== undefined) return large;
  const made = current.map((div, i): DivLayout => {
    const { kind, level, title } = kindOf(div.text, i === 0 ? row.lead : undefined);
    return { div_id: div.div_id, pos: i + 1, kind, level, title, sep: div.sep };
  });
  const from = {
    ...bundle.origin,
    slug: bundle.slug,
    content_hash: bundle.content_hash,
    entries: bundle.entries,
  };
  const claims = claimsOf(bundle.state).map((claim) => {
    const text = claim.text;
    const weight = claim.status === 'retracted' ? 0 : tierWeights[claim.tier];
    return { n: Number(claim.id.slice(1)), plain: plainWording(text), claim: claimOf(claim, weight, from) };
  });
  const sources = sourcesOf(bundle.state).map(({ source }): Source => ({
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
    created: { tenant: context.tenant, slug, lead: row.lead },
    title: textOr(row.title, slug).slice(0, 300),
    status: choices.status ?? (row.status === 'draft' ? 'draft' : 'published'),
    meta: { ...metaOf(row.meta), ...(choices.category === undefined ? {} : { category: choices.category }) },
    made,
    claims,
    sources_made: sources.length,
    imported: from,
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
          slug,
          title: after.row.title,
          created: true,
          revision: after.row.version,
          permalink,
          imported_from: from,
          divs: made.map(({ div_id }) => ({
            div_id,
            vx_hash: after.divs.get(div_id)?.vx_hash ?? '',
            permalink: links.div(context.base, slug, div_id),
          })),
          claims: claims.length,
          sources: sources.length,
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
    materiality: claim.materiality,
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
