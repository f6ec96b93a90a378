/** Faults as pages of the same status (contract §2, §8): what happened, how to fix it, and where to go on. */
import type { FastifyRequest } from 'fastify';
import { isPagePath } from '../../domain/links.ts';
import { type Fault, type FaultCode, subjectOf } from '../../kernel/fault.ts';
import { truncatedShare, withoutSecrets } from '../http/envelope.ts';
import { sendFaultPage } from '../http/replies.ts';
import type { Face } from '../http/route-declaration.ts';
import { statusOf } from '../http/statuses.ts';
import { queryCharsMax } from '../../app/reads/search.ts';
import type { Violation } from '../../domain/violations.ts';
import { Button } from './components/button.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

/** Sends refusals as pages. */
export function pageFace(site: Site): Face {
  return {
    send: (reply, request, refusal) =>
      sendFaultPage(reply, request, refusal, errorPage(site, refusal, request)),
  };
}

/** Whether a request is for a page. */
export function isPage({ method, url }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && isPagePath(url);
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  401: 'This needs a credential',
  403: 'You may not do this',
  404: 'Not found',
  405: 'This address takes no such request',
  409: 'Something changed meanwhile',
  410: 'This was taken away',
  413: 'This is too large',
  415: 'This format is not taken',
  422: 'A rule was not kept',
  429: 'Too many requests',
  500: 'Something went wrong here',
  501: 'Not built yet',
  502: 'Another service failed',
  503: 'Too busy just now',
  504: 'Another service took too long',
};

function errorPage(site: Site, refusal: Fault, request: FastifyRequest): string {
  const { fault, message, fix, details } = withoutSecrets(refusal);
  const near = (details?.['did_you_mean'] ?? []) as readonly { readonly id?: string; readonly url: string }[];
  const violations = (details?.['violations'] ?? []) as readonly Violation[];
  const subject = subjectOf(refusal);
  const isArticle = subject?.kind === 'article';
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
      {violations.length === 0 ? null : (
        <ul>
          {violations.map((each) => (
            <li key={`${each.code} ${each.at}`}>
              {each.message} {each.fix}
            </li>
          ))}
        </ul>
      )}
      {near.length === 0 ? null : (
        <p class="near">
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
      <h2>What you can do</h2>
      {status === 404 ? (
        <NotFound
          site={site}
          request={request}
          slug={isArticle ? undefined : subject?.slug}
          fix={isArticle ? '' : hideBrokenShares(fix)}
        />
      ) : status === 401 || status === 403 ? (
        <p>
          {hideBrokenShares(fix)} If you were given a share or a key,{' '}
          <a href={site.to.owner}>sign in with it</a>. To propose a change you need neither: follow “propose”
          beside a claim.
        </p>
      ) : status >= 500 ? (
        <p>
          {hideBrokenShares(fix)} Nothing that was confirmed with a receipt is lost. If it stays like this,
          tell the operator the request id <code class="id">{request.id}</code>.
        </p>
      ) : (
        <p>{hideBrokenShares(fix)}</p>
      )}
      <p class="section-note">
        Elsewhere: <a href={site.to.home}>articles</a>, <a href={site.to.log}>the log</a>,{' '}
        <a href={site.to.docs}>documentation</a>. For programs: status {status},{' '}
        <a href={`${site.to.docs}/errors#${fault}`}>
          <code>{fault}</code>
        </a>
        .
      </p>
    </div>,
  );
}

/** Where to go on from an address that leads nowhere: the article that it is in, or the search with its words. */
function NotFound({
  site,
  request,
  slug,
  fix,
}: Readonly<{ site: Site; request: FastifyRequest; slug: string | undefined; fix: string }>) {
  return (
    <>
      <p>
        {fix}{' '}
        {slug === undefined ? (
          'Check the spelling, or search for what you were looking for. Drafts and closed workspaces are shown to their members only.'
        ) : (
          <>
            <a href={site.to.article(slug)}>Open the article</a>, which lists its claims, sources and blocks.
          </>
        )}
      </p>
      <form class="search-form find" role="search" action={site.to.search} method="get">
        <p class="search-words">
          <label for="error-q">Find in articles, claims and sources</label>
          <input
            id="error-q"
            name="q"
            type="search"
            maxLength={queryCharsMax}
            value={searchedName(request.url)}
            required
            autocomplete="off"
          />
        </p>
        <p class="search-go">
          <Button>Search</Button>
        </p>
      </form>
    </>
  );
}

/** The last part of an address, if it is a name and cannot be a token. */
function searchedName(url: string): string {
  const last = (url.split('?')[0] ?? '').split('/').at(-1) ?? '';
  return /^[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,12}$/.test(last) ? last : '';
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
    'This does not have the form of a token.',
    'Copy it whole, without quotes or line breaks.',
  ],
  token_corrupted: [
    'The token’s check sum or signature is wrong.',
    'Copy it again; if it stays, ask for a new one.',
  ],
  token_expired: ['The share has expired.', 'Ask its issuer for another.'],
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
    'This was said before.',
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
    'The outside service that the row calls failed; the receipt has its answer.',
    'Correct the body and repair the invocation.',
  ],
  runner_timeout: [
    'The outside service that the row calls did not answer in time.',
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
