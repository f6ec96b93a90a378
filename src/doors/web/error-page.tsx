/** Faults as pages of the same status (contract §2, §8): what happened, how to fix it, and where to go on. */
import type { FastifyRequest } from 'fastify';
import { isPagePath } from '../../domain/links.ts';
import { type Fault, type FaultCode, subjectOf } from '../../kernel/fault.ts';
import { truncatedShare, withoutSecrets } from '../http/envelope.ts';
import { sendFaultPage } from '../http/replies.ts';
import type { Face } from '../http/route-declaration.ts';
import { statusOf } from '../http/statuses.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

/** Sends refusals as pages. */
export function pageFace(site: Site): Face {
  return {
    send: (reply, request, refusal) => sendFaultPage(reply, request, refusal, errorPage(site, refusal)),
  };
}

/** Whether a request is for a page. */
export function isPage({ method, url }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && isPagePath(url);
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Something went wrong here',
  501: 'Not built yet',
  503: 'Too busy just now',
};

function errorPage(site: Site, refusal: Fault): string {
  const { fault, message, fix, details } = withoutSecrets(refusal);
  const near = (details?.['did_you_mean'] ?? []) as readonly { readonly id?: string; readonly url: string }[];
  const isArticle = subjectOf(refusal)?.kind === 'article';
  // A quoted URL may be truncated within a token.
  const hideBrokenShares = (text: string): string => text.replace(truncatedShare, '[credential]');
  const status = statusOf[fault];
  const title = titles[status] ?? 'The request failed';
  return renderPage(
    site,
    { title, unlisted: true },
    <div class="record error">
      <h1>{title}</h1>
      <p class="lead">{hideBrokenShares(message)}</p>
      <p>{hideBrokenShares(fix)}</p>
      {near.length > 0 && (
        <p>
          Did you mean{' '}
          {near.map(({ id, url }, i) => (
            <>
              {i > 0 && ', '}
              <a href={isArticle && id !== undefined ? site.to.article(id) : url}>{id ?? url}</a>
            </>
          ))}
          ?
        </p>
      )}
      <p class="section-note">
        Status {status}, <code>{fault}</code>. The <a href={site.to.home}>list of articles</a>,{' '}
        <a href={site.to.search}>the search</a>, the <a href={site.to.directory}>directory of rows</a> and the{' '}
        <a href={site.to.log}>log</a> are places to go on from.
      </p>
    </div>,
  );
}

export const errorDescriptions: Readonly<Record<FaultCode, readonly [when: string, help: string]>> = {
  invalid_json: [
    'The body is not JSON, or ambiguous JSON.',
    'Send UTF-8 JSON without duplicate keys, lone surrogates or NUL.',
  ],
  invalid_request: [
    'A parameter is unknown, missing or of another type; “parameter” names it.',
    'Correct that one parameter.',
  ],
  credential_required: [
    'The row or path needs a credential.',
    'Send a share, an API key, or call as the owner.',
  ],
  token_malformed: [
    'The token does not have the shape of one.',
    'Copy it whole, without quotes or line breaks.',
  ],
  token_corrupted: [
    'The token’s check sum or signature is wrong.',
    'Copy it again; if it stays, ask for a new one.',
  ],
  token_expired: ['The share’s time is over.', 'Ask its issuer for another.'],
  token_revoked: ['The share was revoked.', 'Ask its issuer for another.'],
  ancestor_revoked: [
    'A share that this one was cut from was revoked.',
    'Ask a holder of a valid share for another.',
  ],
  ancestor_expired: [
    'A share that this one was cut from has expired.',
    'Ask a holder of a valid share for another.',
  ],
  signature_required: [
    'The webhook call is not signed.',
    'Sign it with the article’s secret, or send a scoped key.',
  ],
  signature_invalid: [
    'The webhook signature does not match.',
    'Check the secret, the time and that the body is sent as it was signed.',
  ],
  scope_denied: [
    'The credential does not cover this row or article.',
    'Use one that does; explain says what it covers.',
  ],
  risk_ceiling: ['The row’s risk is above the share’s ceiling.', 'Ask for a share with a higher ceiling.'],
  owner_gate_required: [
    'The owner has to approve this call.',
    'Hand the proposal in the answer to the owner.',
  ],
  fixed_body_only: ['The share is bound to one exact body.', 'Send that body, or none.'],
  token_exhausted: ['The share, or one that it was cut from, has no uses left.', 'Ask for another.'],
  voxel_scope_required: [
    'Changing existing text needs a key that names the voxel verbs.',
    'Use a key with rows:VOXEL_EDIT or pfx:VOXEL_.',
  ],
  owner_only: ['Only the owner may do this.', 'Ask the owner, or propose it through the mirror.'],
  row_disabled: ['The row is switched off.', 'Ask the owner, or use another row.'],
  not_found: [
    'There is nothing at this address, or nothing that you may see.',
    'Check the spelling; search finds what there is.',
  ],
  unknown_key: ['There is no row with this key.', 'Use one of “did_you_mean”, or ask in plain words.'],
  method_not_allowed: ['The address does not take this method.', 'Use one that the Allow header names.'],
  payload_ceiling: [
    'The request, or one text in it, is too large.',
    'Send less at once; the message names the limit.',
  ],
  unsupported_media_type: ['The body is not sent as JSON.', 'Send Content-Type: application/json.'],
  hash_stale: [
    'The text has changed since it was read; nothing was written.',
    'Merge into “current_text” and send “current_hash”.',
  ],
  order_stale: [
    'The order has changed since it was read; nothing was written.',
    'Read “current_layout” and decide again.',
  ],
  thread_moved: [
    'The thread has new entries since it was read; nothing was written.',
    'Read “thread_summary” and send “current_thread_head”.',
  ],
  near_duplicate: [
    'The same was said before.',
    'Read “canonical”; confirm it with “duplicate_of”, or say what differs.',
  ],
  duplicate_claim: [
    'The claim is there already.',
    'Use “canonical”; with “distinct” and a rationale it can be posted all the same.',
  ],
  duplicate_source: [
    'The same quote of the same page is there already.',
    'Cite the source that “canonical” names.',
  ],
  conflict: ['The state that the call depends on has changed.', 'Read the state again and retry.'],
  idempotency_conflict: [
    'The idempotency key was used for another request.',
    'Use a new key for a new request.',
  ],
  already_decided: ['It was already decided.', 'Read the decision; a new proposal can be decided.'],
  body_mismatch: [
    'The arguments do not fit the row.',
    'Read “inputs” and “example”, then repair the failed invocation.',
  ],
  content_rule: ['Rules on content are broken; “violations” names all of them.', 'Follow the fix of each.'],
  boundary_moved: [
    'The text would change the meaning of its neighbours; nothing was written.',
    'Close what the text leaves open, or edit the blocks together.',
  ],
  invalid_decision: ['The decision is not one of the allowed values.', 'Use one that the message names.'],
  batch_limit: ['The batch has more than 300 operations.', 'Send several.'],
  keys_not_public: [
    'None of the keys is available without a credential.',
    'Ask for the keys that the message names.',
  ],
  rate_limited: ['Too many calls came from here in a minute.', 'Wait as long as Retry-After says.'],
  runner_failed: [
    'What the row reaches outside failed; the receipt has it.',
    'Correct the body and repair the invocation.',
  ],
  runner_timeout: [
    'What the row reaches outside did not answer in time.',
    'Try again later; the receipt says what was sent.',
  ],
  overloaded: [
    'The write queue is full, or the ledger cannot be reached.',
    'Wait a few seconds and send the same request again.',
  ],
  shutting_down: ['The server is going down.', 'Send the same request again in a few seconds.'],
  not_implemented: ['This version does not implement it yet.', 'Use what the answer names instead.'],
  internal: ['Something went wrong on this side.', 'Try again; if it persists, tell the operator the time.'],
};
