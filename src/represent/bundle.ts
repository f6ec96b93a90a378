/**
 * The bundle (spec §4.3, contract §5): an article as one portable package that verifies by itself. It holds
 * every entry of the article's chains with the salts that open their contents, so that its receiver
 * recomputes all of it without a server.
 */
import type { StoredEvent } from '../engine/act.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { TimeSlices } from '../kernel/time-slices.ts';
import { Bundle, SlimBundle } from '../model/bundle.ts';
import { exactAnswer } from '../model/exact.ts';
import type { ListedContribution } from '../model/contribution.ts';
import type { BundledPost, PostView } from '../model/discourse.ts';
import type { OpenedEntry } from '../model/parts.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf, type ArticleState } from '../domain/articles/state.ts';
import type { DivRow } from '../domain/articles/tables.ts';
import type { QuestionRow } from '../domain/questions/state.ts';
import { links } from '../domain/links.ts';
import { claimView, divChainsIn, divList, provenanceList, sourceList } from './article-json.ts';
import { byChain, openEntry, verificationOfAll } from './stored-events.ts';
import { questionSlice } from './question-json.ts';
import { constitution, llmManifest } from './references.ts';

const bundleVersion = 1 as const;

export interface BundleParts {
  readonly state: ArticleState;
  readonly base: string;
  /** All entries of the article's own chains, in commit order. */
  readonly events: readonly StoredEvent[];
  /** Whether the reader may see a DIV that left the article. */
  readonly showsInactive: (div: DivRow, chain: readonly StoredEvent[]) => boolean;
  readonly questions: readonly QuestionRow[];
  readonly contributions: readonly ListedContribution[];
  readonly discourse: readonly PostView[];
  /** Name of the log and the key that signs for it. */
  readonly origin: string;
  readonly verifierKey: string;
  readonly checkpoint: string | null;
  /** Where the log has each entry, by its sequence number, and the proof that it does; null until it has all. */
  readonly logged: { readonly places: ReadonlyMap<number, number>; readonly proof: readonly string[] } | null;
  readonly slim: boolean;
}

export async function bundle(parts: BundleParts): Promise<Bundle | SlimBundle> {
  const { state, base, events, slim } = parts;
  const { row } = state;
  const body = bodyOf(state);
  const slices = new TimeSlices();
  const chains = await byChain(events, slices);
  const divChains = divChainsIn(chains);
  const divs = await divList(state, base, divChains, parts.showsInactive);
  const chain = (name: string): readonly StoredEvent[] => chains.get(`${row.aid}.${name}`) ?? [];
  const head = {
    bundle_version: bundleVersion,
    slug: row.slug,
    title: row.title,
    status: row.status,
    version: row.version,
    content_hash: sha256Hex(body),
    meta: row.meta,
    body,
    lead: row.lead,
    claims: claimsOf(state).map((claim) => claimView(state, claim, base)),
    sources: sourceList({ state, sources: chain('sources') }),
  };
  const rest = {
    contributions: parts.contributions.map(({ timestamp: _timestamp, ...said }) => said),
    discourse: parts.discourse.map(bundledPost),
    question_graph: questionSlice(parts.questions),
    constitution: constitution(),
    llm_manifest: llmManifest(base),
    verification: await verificationOfAll(chains, slices),
    counts: {
      divs: activeDivs(state).length,
      claims: state.claims.size,
      sources: state.sources.size,
      provenance: chain('provenance').length,
      contributions: parts.contributions.length,
      discourse: parts.discourse.length,
    },
    origin: {
      base,
      log: parts.origin,
      verifier_key: parts.verifierKey,
      checkpoint: parts.checkpoint,
      inclusion: parts.logged === null ? null : [...parts.logged.proof],
      article: links.article(base, row.slug),
    },
  };
  if (slim) {
    const { length } = activeDivs(state);
    return exactAnswer(SlimBundle, {
      ...head,
      voxels: { count: length, inactive: divs.length - length },
      provenance: { count: chain('provenance').length },
      ...rest,
    });
  }
  const opened = await slices.map(chains, ([name, own]) => [name, own.map(inLog(parts.logged))] as const);
  return exactAnswer(Bundle, {
    ...head,
    voxels: divs,
    provenance: provenanceList({ provenance: chain('provenance') }),
    ...rest,
    chains: Object.fromEntries(opened),
  });
}

/** Without the names that repeat its members. */
function bundledPost({
  target_div: _div,
  expected_hash: _hash,
  expected_thread_head: _head,
  objection: _objection,
  ...said
}: PostView): BundledPost {
  return said;
}

/** An entry with what opens it, at its place in the log. */
function inLog(logged: BundleParts['logged']): (event: StoredEvent) => OpenedEntry {
  return (event) => ({ ...openEntry(event), at: logged?.places.get(event.seq) ?? event.seq });
}

/** A quote is a block quote of one line. */
function inOneLine(quote: string): string {
  return quote
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

export function bundleMarkdown(state: ArticleState, base: string): string {
  const { row } = state;
  const claims = claimsOf(state).map(
    (claim) =>
      `- **${claim.id}** (${claim.tier}, ${claim.status}, weight ${claim.weight})${claim.source_ids.length > 0 ? ` [${claim.source_ids.join(', ')}]` : ''}: ${claim.text}`,
  );
  const sources = sourcesOf(state).map(
    ({ source, hash }) =>
      `- **${source.id}** ${source.title}, <${source.url}>\n  > ${inOneLine(source.quote)}\n\n  hash \`${hash}\``,
  );
  return [
    bodyOf(state),
    '---',
    '',
    '## Claims',
    '',
    ...(claims.length === 0 ? ['None.'] : claims),
    '',
    '## Sources',
    '',
    ...(sources.length === 0 ? ['None.'] : sources),
    '',
    `Version ${row.version} of ${links.article(base, row.slug)}, content hash \`${sha256Hex(bodyOf(state))}\`.`,
    '',
  ].join('\n');
}
