/** Reads of an article: its state, its DIVs and contributions. The caller was authorized before (`article-access.ts`). */
import { cacheOrder, type ArticleState } from '../../domain/articles/state.ts';
import { type ArticleAccess } from './article-access.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { articleChain } from '../../domain/articles/chains.ts';
import {
  articleTable,
  claimTable,
  divTable,
  slugPath,
  slugTable,
  sourceTable,
  type DivRow,
} from '../../domain/articles/tables.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { threadTable } from '../../domain/discourse/thread.ts';
import { contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { contributionJson, resolutionTable } from '../../domain/mirror/resolution.ts';
import { questionsTable } from '../../domain/questions/state.ts';
import { contentText, type StoredEvent } from '../../engine/act.ts';
import { ListedContribution } from '../../model/contribution.ts';
import { DivList } from '../../model/div.ts';
import { exactly } from '../../model/exact.ts';
import { divChainsIn, divList } from '../../represent/article-json.ts';
import { byChain, listed, openEntry, unlisted, verificationOfAll } from '../../represent/stored-events.ts';
import { readChains, redactionPolicyOf, scrubsOf } from './article-chains.ts';
import { tenantOf } from './workspaces.ts';
import type { ReadContext } from '../read-context.ts';
import { defineRead } from './define-read.ts';

export async function loadArticle(context: Pick<ReadContext, 'read'>, aid: string): Promise<ArticleState> {
  const { read } = context;
  const [row, divs, claims, sources] = await Promise.all([
    read.row(articleTable, aid),
    read.rows(divTable, aid),
    read.rows(claimTable, aid),
    read.rows(sourceTable, aid),
  ]);
  if (row === undefined) throw new Error(`there is no article ${aid}`);
  const state = { row, divs, claims, sources };
  cacheOrder(state);
  return state;
}

const stamped = [articleTable, mirrorTable, threadTable, questionsTable];
const stampedWithCalls = [...stamped, conformanceTable];

/** What an article's public representations depend on; `called`: what invocations on it came to as well. */
export async function articleStamp(context: ReadContext, aid: string, called = false): Promise<string> {
  const { read } = context;
  const stamps = await Promise.all(
    (called ? stampedWithCalls : stamped).map(({ aggregate }) => read.stamp(aggregate as string, aid)),
  );
  return stamps.map((stamp) => `${stamp}.`).join('');
}

/** Log index of the newest entry of an article; null until a signed head covers it, a moment after its commit. */
export async function newestIndexOf(context: ReadContext, aid: string): Promise<number | null> {
  const { read } = context;
  const last = (await readChains(context.read, aid)).at(-1);
  const index = last === undefined ? null : await read.indexOf(last.seq);
  const checkpoint = await read.checkpoint();
  return index !== null && checkpoint !== null && index < checkpoint.size ? index : null;
}

/** `articleStamp`, where the store knows it without a query. */
export function articleStampNow({ read }: ReadContext, aid: string, called = false): string | undefined {
  let stamp = '';
  for (const { aggregate } of called ? stampedWithCalls : stamped) {
    const now = read.stampNow(aggregate as string, aid);
    if (now === undefined) return undefined;
    stamp += `${now}.`;
  }
  return stamp;
}

/** More rows than one article has: the contract gives these lists whole. */
export const unlimited = 1_000_000;

export async function readContributions(
  context: ReadContext,
  access: ArticleAccess,
): Promise<ListedContribution[]> {
  const { read } = context;
  const rows = await read.list(contributionTable, access.aid, { limit: unlimited });
  if (rows.length === 0) return [];
  const resolutions = await read.rows(resolutionTable, access.aid);
  const claims = await read.rows(claimTable, access.aid);
  const chain = new Map(
    (await read.chain(articleChain(access.aid, 'mirror'))).map((event) => [event.seq, event]),
  );
  return rows.map((row) => {
    const event = chain.get(row.seq);
    return exactly(ListedContribution, {
      ...contributionJson(context.base, access.slug, row, resolutions.get(row.id), claims),
      ...(event === undefined ? unlisted(row) : listed(event, 'content_sha')),
    });
  });
}

export const readVoxels = defineRead(
  DivList,
  async (context: ReadContext, access: ArticleAccess, inactive: boolean) => {
    const state = await loadArticle(context, access.aid);
    const redaction = await redactionPolicyOf(context, access, state.row);
    const chains = divChainsIn(await byChain(redaction.redact(await readChains(context.read, access.aid))));
    const shows = (div: DivRow, chain: readonly StoredEvent[]): boolean =>
      inactive && redaction.showsDiv(div, chain);
    return {
      slug: access.slug,
      version: state.row.version,
      lead: state.row.lead,
      divs: await divList(state, context.base, chains, shows),
      scrubs: (await scrubsOf(context, [...chains.values()].flat())).map(openEntry),
      verification: {
        head: state.row.heads.provenance?.hash ?? 'genesis',
        ...(await verificationOfAll(chains)),
      },
    };
  },
);

/** The text that an older hash of a DIV stood for, so that a client can merge. */
export async function baseText(
  context: ReadContext,
  slug: string,
  divId: string,
  hash: string,
): Promise<string | undefined> {
  // The caller was just refused with `hash_stale`, so that the DIV exists and has another text.
  const tenant = (await tenantOf(context, { kind: 'owner' }, { slug })) ?? mainTenant;
  const found = await context.read.row(slugTable, slugPath(tenant, slug));
  if (found === undefined) return undefined;
  const chain = await context.read.chain(`${found.aid}.${divId}`);
  for (const event of chain) {
    const text = contentText(event.contents.find((each) => each.field === 'text_sha'));
    if (text !== null && (JSON.parse(event.text) as { text_sha?: string }).text_sha === hash) return text;
  }
  return undefined;
}
