/**
 * Reading a bundle of untrusted origin (spec §4.3): its chains are verified from genesis and its contents
 * against their commitments, the article is made again from them alone, and what the bundle shows beside them must
 * be the same. Every breach is named.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { verifyChain } from '../../ledger/chain.ts';
import type { Event } from '../../engine/act.ts';
import { MemoryProjection } from '../../engine/memory-projection.ts';
import { parseArticleChain } from '../articles/chains.ts';
import { projectArticle } from '../articles/project-article.ts';
import { articleOf, bodyOf, type ArticleState, claimsOf, sourcesOf } from '../articles/state.ts';
import { upcast } from '../upcast.ts';
import type { Violation } from '../violations.ts';
import {
  contentProblems,
  scrubsIn,
  plainObject,
  currentValue,
  textOr,
  bundleViolation,
  type Bundle,
  type OpenChains,
  type OpenEntry,
} from './bundle.ts';
import { importRules } from './import-rules.ts';
import { shownProblems } from './verify-shown.ts';
import Type from 'typebox';
import { collectSchemaErrors } from '../capabilities/schema-errors.ts';
import type { BundleOrigin } from '../../model/article-writes.ts';
import { ImportedClaim } from '../../model/claim.ts';
import { ImportedSource } from '../../model/source.ts';

export function readBundle(value: JsonObject): Bundle | Fault {
  if (value['bundle_version'] !== 1)
    return refuse([bundleViolation('/bundle_version', 'The bundle is not of version 1.')]);
  const chains = plainObject(value['chains']) as OpenChains;
  if (Object.keys(chains).length === 0)
    return refuse([
      bundleViolation('/chains', 'The bundle holds no chains; a slim bundle cannot be imported.'),
    ]);
  let problems: readonly Violation[];
  let state: ArticleState | undefined;
  try {
    problems = chainProblems(chains);
    if (problems.length === 0) problems = beginningProblems(chains);
    if (problems.length === 0) state = replayed(Object.values(chains).flat());
    if (state !== undefined) problems = itemProblems(state);
    if (state !== undefined && problems.length === 0) problems = shownProblems(state, chains, value);
  } catch (error) {
    problems = [bundleViolation('/chains', `The chains cannot be replayed: ${(error as Error).message}`)];
  }
  if (state === undefined || problems.length > 0) return refuse(problems);
  return {
    slug: state.row.slug,
    state,
    content_hash: sha256Hex(bodyOf(state)),
    origin: originOf(value['origin']),
    chains,
    entries: Object.values(chains).flat().length,
  };
}

/** Everything in which a bundle does not hold up or breaks content rules, by its place in the call. */
export function bundleRules(value: JsonObject, acceptsViolations: boolean): readonly Violation[] {
  const bundle = readBundle(value);
  if (isFault(bundle)) return bundle.details?.['violations'] as readonly Violation[];
  return acceptsViolations ? [] : importRules(bundle);
}

/** Chains of one article and the scrubs of its contents; each whole, in order, and opened by what it commits to. */
function chainProblems(chains: OpenChains): Violation[] {
  const scrubs = scrubsIn(chains);
  const articles = new Set(Object.keys(chains).flatMap((name) => parseArticleChain(name)?.aid ?? []));
  const problems = Object.entries(chains).flatMap(([name, chain]) => {
    const at = `/chains/${name}`;
    if (parseArticleChain(name) === undefined && !/^scrub_[a-z2-7]{16}$/.test(name))
      return [bundleViolation(at, 'It is no chain of an article.')];
    const verdict = verifyChain(
      chain.map(({ entry, hash }) => ({ entry, hash })),
      { chain: name },
    );
    return [
      ...(verdict.valid ? [] : [bundleViolation(`${at}/${verdict.broken_at}`, verdict.reason)]),
      ...chain.flatMap((open, n) =>
        [...timeProblems(open), ...placeProblems(open, chain[n - 1]), ...contentProblems(open, scrubs)].map(
          (problem) => bundleViolation(`${at}/${n}`, problem),
        ),
      ),
    ];
  });
  return articles.size === 1
    ? problems
    : [...problems, bundleViolation('/chains', `They are of ${articles.size} articles.`)];
}

function timeProblems({ entry: { ts } }: OpenEntry): string[] {
  const isInstant =
    typeof ts === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(ts) &&
    !Number.isNaN(Date.parse(ts));
  return isInstant ? [] : ['Its ts is no instant in ISO 8601, such as 2026-03-01T12:00:00.000Z.'];
}

/** Entries of one chain follow one another in the order of all chains too, or an older one would have the last word. */
function placeProblems({ at }: OpenEntry, before: OpenEntry | undefined): string[] {
  return Number.isSafeInteger(at) && at > (before?.at ?? -1)
    ? []
    : ['It stands before the entry that it follows.'];
}

/** Whoever may not see what was before publication is given a bundle from which nothing can be made again. */
function beginningProblems(chains: OpenChains): Violation[] {
  const [name, provenance] =
    Object.entries(chains).find(([each]) => parseArticleChain(each)?.of === 'provenance') ?? [];
  if (provenance?.[0]?.contents['content_sha'] !== undefined) return [];
  return [
    bundleViolation(
      `/chains/${name ?? ''}/0`,
      'The bundle leaves out how the article began, which was before it was published.',
      'Export it with a key of its workspace, as colophon export does.',
    ),
  ];
}

/** The state that the article's own chains give, from which everything is taken over. */
function replayed(entries: readonly OpenEntry[]): ArticleState | undefined {
  const projection = new MemoryProjection();
  const ordered = [...entries].sort((a, b) => a.at - b.at);
  for (const { at, entry, hash, contents } of ordered) {
    const values = Object.fromEntries(
      Object.entries(contents).flatMap(([field, content]) => {
        const value = currentValue(content);
        return value === null ? [] : [[field, value] as const];
      }),
    );
    const replaced = Object.keys(contents).filter((field) => contents[field]?.replacement !== undefined);
    const stored: Event = {
      seq: at,
      sealed: { entry, text: '', leaf: Buffer.from(hash, 'hex'), hash },
      contents: values,
      replaced,
    };
    projectArticle(upcast(stored), projection);
  }
  const first = ordered
    .map(({ entry }) => parseArticleChain(entry.chain))
    .find((chain) => chain !== undefined);
  return first === undefined ? undefined : articleOf(projection, first.aid);
}

function originOf(value: JsonValue | undefined): BundleOrigin {
  const origin = plainObject(value);
  const said = (name: keyof BundleOrigin): string | null => textOr(origin[name], null);
  return {
    base: said('base'),
    log: said('log'),
    verifier_key: said('verifier_key'),
    checkpoint: said('checkpoint'),
    article: said('article'),
  };
}

function refuse(violations: readonly Violation[]): Fault {
  return fault(
    'content_rule',
    `The bundle does not hold up in ${violations.length} place${violations.length === 1 ? '' : 's'}.`,
    'Get the bundle again from its origin; nothing was written.',
    { violations: violations.slice(0, 100) },
  );
}

/** Every member of a claim or source that has no place in one, or another type. */
export function itemProblems(state: ArticleState): Violation[] {
  const sources = sourcesOf(state).map((row) => row.source);
  return [
    ...schemaViolations(ImportedClaim, claimsOf(state), '/claims'),
    ...schemaViolations(ImportedSource, sources, '/sources'),
  ];
}

function schemaViolations(schema: Type.TSchema, items: readonly JsonObject[], at: string): Violation[] {
  return collectSchemaErrors(Type.Array(schema), items as JsonValue).violations.map(
    ({ at: place, message }) =>
      bundleViolation(at + place, `${at.slice(1)}/${message}`, 'Correct it where the bundle came from.'),
  );
}
