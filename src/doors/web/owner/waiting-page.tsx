/** `/owner`: what waits for a decision: gated calls, proposed contributions, open votes. */
import type { Waiting, WaitingCall, WaitingContribution } from '../../../app/reads/pending-decisions.ts';
import type { Vote } from '../../../model/discourse.ts';
import { CarriedWords } from '../discourse-list.tsx';
import { Actor, Facts, ReceiptLink, Time } from '../parts.tsx';
import { Fence, fenceName } from '../shell.tsx';
import { CallForm, consolePage, PublicLink, RowLink, type Console } from './frame.tsx';
import { voteDecisions } from '../../../model/vocabulary.ts';

export interface WaitingView {
  readonly calls: Waiting<WaitingCall>;
  readonly contributions: Waiting<WaitingContribution>;
  readonly votes: Waiting<Vote>;
}

const charsMax = 4000;

export function waitingPage(at: Console, view: WaitingView): string {
  const fence = fenceName(
    at.session.formToken,
    ...view.calls.items.map(({ inv }) => inv),
    ...view.contributions.items.map(({ id }) => id),
    ...view.votes.items.map(({ id }) => id),
  );
  return consolePage(
    at,
    'waiting',
    <>
      <section aria-labelledby="calls">
        <h2 id="calls">Calls that a gate holds back{many(view.calls)}</h2>
        {view.calls.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.calls.items.map((call) => (
            <li key={call.inv}>
              <p class="queue-head">
                <RowLink at={at} row={call.key} /> by <Actor site={at.site} actor={call.actor} />,{' '}
                <Time iso={call.ts} />, <ReceiptLink site={at.site} inv={call.inv} />
              </p>
              <Fence name={fence} />
              {call.purpose === null ? null : <p dir="auto">{call.purpose}</p>}
              <pre class="queue-text">{bodyText(call)}</pre>
              <Fence name={fence} end />
              <Decide
                at={at}
                row="OIP_APPROVE"
                what={`the call ${call.inv}`}
                fields={{ id: call.inv }}
                choices={approvals}
              />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="contributions">
        <h2 id="contributions">Proposed contributions{many(view.contributions)}</h2>
        {view.contributions.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.contributions.items.map((item) => (
            <li key={item.id}>
              <p class="queue-head">
                {item.kind} on{' '}
                <PublicLink
                  at={at}
                  href={
                    item.claim_id === ''
                      ? at.site.to.article(item.slug)
                      : at.site.to.claim(item.slug, item.claim_id)
                  }
                >
                  {item.claim_id === '' ? item.title : `${item.claim_id} of ${item.title}`}
                </PublicLink>
                {item.tier === undefined ? '' : ` as ${item.tier}`}, <Time iso={item.ts} />,{' '}
                <ReceiptLink site={at.site} inv={item.receipt} />
              </p>
              <Fence name={fence} />
              <p class="queue-text" dir="auto">
                {cut(item.body)}
              </p>
              <p class="hint" dir="auto">
                {item.actor}
                {item.rationale === null ? '' : `: ${cut(item.rationale)}`}
              </p>
              {item.changedClaim === undefined ? null : (
                <p class="hint" dir="auto">
                  The claim has changed since. It now reads: “{item.changedClaim.text}” Accepting replaces
                  that wording.
                </p>
              )}
              <Fence name={fence} end />
              <Decide
                at={at}
                row="MIRROR_RESOLVE"
                what={`the ${item.kind} ${item.id}`}
                fields={{
                  slug: item.slug,
                  contribution_id: item.id,
                  ...(item.changedClaim === undefined ? {} : { expected_hash: item.changedClaim.hash }),
                }}
                choices={resolutions}
              />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="votes">
        <h2 id="votes">Open votes{many(view.votes)}</h2>
        {view.votes.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.votes.items.map((vote) => (
            <li key={vote.id}>
              <p class="queue-head">
                {vote.proposal.replaceAll('_', ' ')}: {vote.target} of{' '}
                <PublicLink at={at} href={at.site.to.article(vote.slug)}>
                  {vote.slug}
                </PublicLink>
                , <Time iso={vote.ts} />, <ReceiptLink site={at.site} inv={vote.receipt} />
              </p>
              <Fence name={fence} />
              <CarriedWords vote={vote} />
              <p class="queue-text" dir="auto">
                {cut(vote.rationale)}
              </p>
              <p class="hint" dir="auto">
                {vote.actor}
              </p>
              <Fence name={fence} end />
              <Decide
                at={at}
                row="VOXEL_RATIFY"
                what={`the vote ${vote.id}`}
                fields={{ vote_id: vote.id }}
                choices={votes}
                noted={false}
              />
            </li>
          ))}
        </ul>
      </section>
      <Facts
        facts={[
          {
            name: 'As calls',
            value: (
              <>
                <a href={at.site.to.row('OIP_APPROVE')}>OIP_APPROVE</a>,{' '}
                <a href={at.site.to.row('MIRROR_RESOLVE')}>MIRROR_RESOLVE</a>,{' '}
                <a href={at.site.to.row('VOXEL_RATIFY')}>VOXEL_RATIFY</a>
              </>
            ),
          },
        ]}
      />
    </>,
  );
}

type Choices = readonly (readonly [decision: string, label: string])[];

const approvals: Choices = [
  ['approved', 'Approve'],
  ['declined', 'Decline'],
];
const resolutions: Choices = [
  ['accepted', 'Accept'],
  ['rejected', 'Reject'],
];
const voteWords: Readonly<Record<string, string>> = {
  ratified: 'Ratify',
  rejected: 'Reject',
  deferred: 'Defer',
};
const votes: Choices = voteDecisions.map((decision) => [decision, voteWords[decision] ?? decision]);

function Decide({
  at,
  row,
  what,
  fields,
  choices,
  noted = true,
}: {
  readonly at: Console;
  readonly row: string;
  readonly what: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly choices: Choices;
  readonly noted?: boolean;
}) {
  return (
    <CallForm at={at} row={row} section="waiting" name={`Decide ${what}`}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div class="decide">
        {noted ? (
          <label>
            Note <input name="note" aria-label={`Note on ${what}`} />
          </label>
        ) : null}
        {choices.map(([decision, label]) => (
          <button key={decision} type="submit" name="decision" value={decision}>
            {label}
          </button>
        ))}
      </div>
    </CallForm>
  );
}

function many({ items, more }: Waiting<unknown>): string {
  return items.length === 0
    ? ''
    : ` (${more ? `more than ${items.length}, the newest of them` : items.length})`;
}

function bodyText({ body }: WaitingCall): string {
  if (body === null) return 'The body was not kept.';
  return cut(typeof body === 'string' ? body : JSON.stringify(body));
}

function cut(text: string): string {
  return text.length > charsMax
    ? `${text.slice(0, charsMax).toWellFormed()}… (the receipt has it all)`
    : text;
}
