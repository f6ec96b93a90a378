/** The deployment that a session of the desk imports into: its articles, and calls under the session's credential. */
import { dispatch } from '../../../../app/pipeline/dispatch.ts';
import type { Call } from '../../../../app/plans/call.ts';
import { findArticle } from '../../../../app/reads/article-access.ts';
import { loadArticle } from '../../../../app/reads/articles.ts';
import { activeDivs, bodyOf } from '../../../../domain/articles/state.ts';
import { isFault } from '../../../../kernel/fault.ts';
import { sha256Hex } from '../../../../kernel/hash.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { Called, CurrentArticle, ImportTarget, Refused } from '../../../intake/run-import.ts';
import type { ConsoleContext } from '../console-page.tsx';

export type Caller = Pick<Call, 'client' | 'meter'>;

export function deskTarget(context: ConsoleContext, caller: Caller): ImportTarget {
  const { service } = context.site;
  const { credential } = context.session;
  return {
    article: (slug) => currentArticle(context, slug),
    call: (key, args) => callRow(context, caller, key, args),
    async rehearse(key, args) {
      const answer = await dispatch(service, { ...callOf(context, caller, key, args), shape: true });
      if (isFault(answer)) return refusedBy(answer);
      if (answer.kind !== 'shape' || answer.shape['would_run'] === true) return undefined;
      const { problem, refusal } = answer.shape;
      const fix = (refusal as JsonObject | undefined)?.['fix'];
      const waits = context.may(key) && credential.kind !== 'owner' && problem === null;
      return waits
        ? undefined
        : { ok: false, message: String(problem ?? 'It would not run.'), fix: String(fix ?? '') };
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
  };
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

function callOf(context: ConsoleContext, caller: Caller, key: string, args: JsonObject): Call {
  const text = JSON.stringify(args);
  return {
    ...caller,
    key,
    body: text,
    presented: context.session.presented,
    workspace: context.workspace,
    method: 'POST',
    channel: 'console',
  };
}

function refusedBy({ message, fix }: { readonly message: string; readonly fix: string }): Refused {
  return { ok: false, message, fix };
}
