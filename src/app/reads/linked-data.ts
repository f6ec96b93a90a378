/**
 * Reads of an article for foreign vocabularies: annotations, nanopublications and citations, and the publisher that they
 * name. They read what the article's own reads show, now or as of an earlier moment.
 */
import { articleChain } from '../../domain/articles/chains.ts';
import { namesOwner } from '../../domain/drops/obfuscation.ts';
import { voteTable } from '../../domain/discourse/thread.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import { contributionTable } from '../../domain/mirror/tables.ts';
import { mainState } from '../../domain/workspaces/write-workspace.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import { type Annotated, annotationsOf } from '../../represent/annotations.ts';
import { type Cited, citedArticle, titleOf } from '../../represent/citation.ts';
import { nanopub } from '../../represent/nanopub.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import type { Service } from '../service.ts';
import type { ArticleAccess } from './article-access.ts';
import { redactionPolicyOf } from './article-chains.ts';
import { articleStamp, articleStampNow, loadArticle, unlimited } from './articles.ts';
import { readPosts } from './discourse.ts';
import { workspaceOf, workspaceStamp, workspaceStampNow } from './workspaces.ts';

type Publishing = Pick<Service, 'base' | 'ownerName' | 'read'> & ReadContext;

/** The title of the workspace; the host where it has no title of its own, or one that names the owner. */
export async function publisherOf(service: Publishing, tenant: string): Promise<string> {
  const { title } = (await workspaceOf(service, tenant)).state;
  const isOwn = title.trim() !== '' && title !== mainState.title && !namesOwner(title, service.ownerName);
  return isOwn ? title : new URL(service.base).host;
}

/** The stamp of a read that names the publisher. */
export async function publishedStamp(context: ReadContext, aid: string, called = false): Promise<string> {
  return `${await articleStamp(context, aid, called)} ${await workspaceStamp(context)}`;
}

/** `publishedStamp`, where the store knows it without a query. */
export function publishedStampNow(context: ReadContext, aid: string, called = false): string | undefined {
  const article = articleStampNow(context, aid, called);
  const workspace = workspaceStampNow(context);
  return article === undefined || workspace === undefined ? undefined : `${article} ${workspace}`;
}

export async function readAnnotations(
  context: ReadContext,
  { aid }: ArticleAccess,
): Promise<Pick<Annotated, 'state'> & { readonly items: ReturnType<typeof annotationsOf> }> {
  const { read, base } = context;
  const [state, posts, votes, contributions, resolutions] = await Promise.all([
    loadArticle(context, aid),
    readPosts(context, aid),
    read.rows(voteTable, aid),
    read.list(contributionTable, aid, { limit: unlimited }),
    read.rows(resolutionTable, aid),
  ]);
  const decided = contributions.map((row) => ({
    ...row,
    status: resolutions.get(row.id)?.status ?? 'proposed',
  }));
  const items = annotationsOf({ state, base, posts, votes: [...votes.values()], contributions: decided });
  return { state, items };
}

export async function readCitation(
  context: ReadContext,
  { aid }: ArticleAccess,
  publisher: string,
): Promise<Cited> {
  return citedArticle((await loadArticle(context, aid)).row, publisher, context.base);
}

/** The title of a page of an article: of the whole, or of one claim, DIV or source. */
export async function readPageTitle(
  context: ReadContext,
  access: ArticleAccess,
  part: string | undefined,
): Promise<string | Fault> {
  const state = await loadArticle(context, access.aid);
  if (part === undefined) return titleOf(state.row);
  if (state.claims.has(part) || state.sources.has(part) || state.divs.get(part)?.status === 'current')
    return `${part} of ${titleOf(state.row)}`;
  return noPart(access, part);
}

/** A claim in TriG. */
export async function readNanopub(
  context: ReadContext,
  access: ArticleAccess,
  claimId: string,
  publisher: string,
): Promise<string | Fault> {
  const { aid, slug } = access;
  const state = await loadArticle(context, aid);
  const claim = state.claims.get(claimId)?.claim;
  if (claim === undefined) return noPart(access, claimId);
  const publicFrom = access.seesDrafts ? 1 : (state.row.published_rev ?? 1);
  const redaction = await redactionPolicyOf(context, access, state.row);
  const provenance = redaction.redact(await context.read.chain(articleChain(aid, 'provenance')));
  const versions = versionsOf(claimId, provenance, publicFrom);
  const current = versions.findLast(({ version }) => version === claim.version);
  return nanopub({
    base: context.base,
    slug,
    publisher,
    claim,
    sources: claim.source_ids.flatMap((id) => state.sources.get(id)?.source ?? []),
    // A claim from before the publication begins with it; its entry is redacted.
    rev: current?.rev ?? (versions.length === 0 ? publicFrom : state.row.version),
    previousRev: versions.findLast(({ version }) => version < claim.version)?.rev,
    created: current?.ts ?? claim.posted_by.ts,
    receipt: current?.receipt ?? null,
  });
}

interface ClaimVersion {
  readonly version: number;
  /** The first revision with it that everybody can read. */
  readonly rev: number;
  readonly ts: string;
  readonly receipt: string | null;
}

/** When each version of a claim was made, oldest first, as far as the provenance shows it. */
function versionsOf(
  claimId: string,
  provenance: readonly StoredEvent[],
  publicFrom: number,
): readonly ClaimVersion[] {
  return provenance.flatMap((event) => {
    const claim = provenanceContent(event)?.change?.claims?.find(
      ({ claim: { id } }) => id === claimId,
    )?.claim;
    if (claim === undefined) return [];
    const { ts, rev, inv } = JSON.parse(event.text) as Entry;
    return [
      {
        version: claim.version,
        rev: Math.max(Number(rev), publicFrom),
        ts,
        receipt: typeof inv === 'string' ? inv : null,
      },
    ];
  });
}

function noPart({ slug }: ArticleAccess, part: string): Fault {
  return fault(
    'not_found',
    `The article ${slug} has no claim or DIV ${part.slice(0, 60)}.`,
    'List the claims under /claims and the DIVs under /voxels.',
  );
}
