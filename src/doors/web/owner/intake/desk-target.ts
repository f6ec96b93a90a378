/** The deployment that a session of the desk imports into: its articles, and calls under the session's credential. */
import { dispatch } from '../../../../app/pipeline/dispatch.ts';
import type { Call } from '../../../../app/plans/call.ts';
import { findArticle } from '../../../../app/reads/article-access.ts';
import { loadArticle, readContributions } from '../../../../app/reads/articles.ts';
import { readDiscourse } from '../../../../app/reads/discourse.ts';
import { activeDivs, bodyOf } from '../../../../domain/articles/state.ts';
import { isFault, type Fault } from '../../../../kernel/fault.ts';
import { sha256Hex } from '../../../../kernel/hash.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import {
  saidIn,
  type Called,
  type CurrentArticle,
  type Discussion,
  type ImportTarget,
  type Refused,
} from '../../../intake/import-target.ts';
import type { ConsoleContext } from '../console-page.tsx';

/** `run` names one import: a call of it that is sent twice, such as by a form, runs once. */
export type Caller = Pick<Call, 'client' | 'meter'> & { readonly run?: string | undefined };

export function deskTarget(context: ConsoleContext, caller: Caller): ImportTarget {
  const { service } = context.site;
  const { credential } = context.session;
  return {
    article: (slug) => currentArticle(context, slug),
    discussion: (slug) => discussionOf(context, slug),
    call: (key, args) => callRow(context, caller, key, args),
    async rehearse(key, args) {
      const answer = await dispatch(service, { ...callOf(context, caller, key, args), shape: true });
      if (isFault(answer)) return refusedBy(answer);
      if (answer.kind !== 'shape' || answer.shape['would_run'] === true) return undefined;
      const { problem, refusal } = answer.shape;
      const { fix, violations } = (refusal ?? {}) as JsonObject;
      const waits = context.may(key) && credential.kind !== 'owner' && problem === null;
      return waits
        ? undefined
        : {
            ok: false,
            message: String(problem ?? 'It would not run.'),
            fix: String(fix ?? ''),
            violations: violations as Refused['violations'],
          };
    },
  };
}

export async function currentArticle(
  context: ConsoleContext,
  slug: string,
): Promise<CurrentArticle | undefined> {
  const { service } = context.site;
  const access = await findArticle(service, slug, context.session.credential);
  if (isFault(access)) return undefined;
  const state = await loadArticle(service, access.aid);
  const divs = activeDivs(state);
  const { row } = state;
  return {
    slug,
    title: row.title,
    status: row.status,
    version: row.version,
    content_hash: sha256Hex(bodyOf(state)),
    tags: row.meta.tags,
    extra: row.meta.extra,
    layout: { lead: row.lead, pieces: divs },
    hashes: new Map(divs.map(({ div_id: id, vx_hash: hash }) => [id, hash])),
    blocksMade: row.divs_made,
    sources: [...state.sources.values()].map(({ source: { id, url, quote } }) => ({ id, url, quote })),
    claims: [...state.claims.values()]
      .filter(({ claim }) => claim.status === 'active')
      .map(({ claim }) => claim.text),
  };
}

async function discussionOf(context: ConsoleContext, slug: string): Promise<Discussion | undefined> {
  const { service } = context.site;
  const access = await findArticle(service, slug, context.session.credential);
  if (isFault(access)) return undefined;
  const [{ thread_head, entries }, contributions] = await Promise.all([
    readDiscourse({ context: service, access, query: {} }),
    readContributions(service, access),
  ]);
  return { thread_head, said: saidIn(entries, contributions) };
}

export async function callRow(
  context: ConsoleContext,
  caller: Caller,
  key: string,
  args: JsonObject,
): Promise<Called> {
  const answer = await dispatch(context.site.service, callOf(context, caller, key, args));
  if (isFault(answer)) return refusedBy(answer);
  if (answer.kind === 'shape') throw new Error('a call that was no dry run was answered as one');
  const { inv, refusal, result, status } = answer;
  if (refusal !== undefined) return { ...refusedBy(refusal), inv };
  if (status === 'proposed')
    return {
      ok: false,
      inv,
      message: `${key} waits for the owner’s approval.`,
      fix: 'Import again when it is approved.',
    };
  return { ok: true, inv, result: result?.result ?? {} };
}

function callOf(context: ConsoleContext, { run, ...caller }: Caller, key: string, args: JsonObject): Call {
  const text = JSON.stringify(args);
  return {
    ...caller,
    idempotencyKey: run === undefined ? undefined : sha256Hex(`${run}\n${key}\n${text}`),
    key,
    body: text,
    presented: context.session.presented,
    workspace: context.workspace,
    method: 'POST',
    channel: 'console',
  };
}

function refusedBy({ message, fix, details }: Pick<Fault, 'message' | 'fix' | 'details'>): Refused {
  return { ok: false, message, fix, violations: details?.['violations'] as Refused['violations'] };
}
