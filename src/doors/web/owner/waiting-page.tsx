/** `/owner`: pending decisions: calls awaiting approval, proposed contributions, open votes. */
import type { Waiting, WaitingCall, WaitingContribution } from '../../../app/reads/owner-console.ts';
import type { Vote } from '../../../model/discourse.ts';
import { VoteDetails } from '../discourse-list.tsx';
import { Actor, Facts, ReceiptLink, Time } from '../parts.tsx';
import { UntrustedMark, untrustedMarkName } from '../shell.tsx';
import { CallForm, type ConsoleContext, consolePage, PublicLink, RowLink } from './console-page.tsx';
import { voteDecisions } from '../../../model/vocabulary.ts';

export interface WaitingView {
  readonly calls: Waiting<WaitingCall>;
  readonly contributions: Waiting<WaitingContribution>;
  readonly votes: Waiting<Vote>;
}

const charsMax = 4000;

export function waitingPage(context: ConsoleContext, view: WaitingView): string {
  const markName = untrustedMarkName(
    context.session.formToken,
    ...view.calls.items.map(({ inv }) => inv),
    ...view.contributions.items.map(({ id }) => id),
    ...view.votes.items.map(({ id }) => id),
  );
  return consolePage(
    context,
    'waiting',
    <>
      <section aria-labelledby="calls">
        <h2 id="calls">Calls awaiting approval{countSuffix(view.calls)}</h2>
        {view.calls.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.calls.items.map((call) => (
            <li key={call.inv}>
              <p class="queue-head">
                <RowLink context={context} row={call.key} /> by{' '}
                <Actor site={context.site} actor={call.actor} />, <Time iso={call.ts} />,{' '}
                <ReceiptLink site={context.site} inv={call.inv} />
              </p>
              <UntrustedMark name={markName} />
              {call.purpose === null ? null : <p dir="auto">{call.purpose}</p>}
              <pre class="queue-text">{bodyText(call)}</pre>
              <UntrustedMark name={markName} end />
              <DecisionForm
                context={context}
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
        <h2 id="contributions">Proposed contributions{countSuffix(view.contributions)}</h2>
        {view.contributions.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.contributions.items.map((item) => (
            <li key={item.id}>
              <p class="queue-head">
                {item.kind} on{' '}
                <PublicLink
                  context={context}
                  href={
                    item.claim_id === ''
                      ? context.site.to.article(item.slug)
                      : context.site.to.claim(item.slug, item.claim_id)
                  }
                >
                  {item.claim_id === '' ? item.title : `${item.claim_id} of ${item.title}`}
                </PublicLink>
                {item.tier === undefined ? '' : ` as ${item.tier}`}, <Time iso={item.ts} />,{' '}
                <ReceiptLink site={context.site} inv={item.receipt} />
              </p>
              <UntrustedMark name={markName} />
              <p class="queue-text" dir="auto">
                {truncate(item.body)}
              </p>
              <p class="hint" dir="auto">
                {item.actor}
                {item.rationale === null ? '' : `: ${truncate(item.rationale)}`}
              </p>
              {item.changedClaim === undefined ? null : (
                <p class="hint" dir="auto">
                  The claim has changed since. It now reads: “{item.changedClaim.text}” Accepting replaces
                  that wording.
                </p>
              )}
              <UntrustedMark name={markName} end />
              <DecisionForm
                context={context}
                row="MIRROR_RESOLVE"
                what={`the ${item.kind} ${item.id}`}
                fields={{
                  slug: item.slug,
                  contribution_id: item.id,
                  ...(item.changedClaim === undefined ? {} : { expected_hash: item.changedClaim.hash }),
                }}
                choices={resolutions}
                takesWording={item.claim_id !== '' && (item.kind === 'repair' || item.kind === 'compression')}
              />
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="votes">
        <h2 id="votes">Open votes{countSuffix(view.votes)}</h2>
        {view.votes.items.length === 0 ? <p>None.</p> : null}
        <ul class="queue">
          {view.votes.items.map((vote) => (
            <li key={vote.id}>
              <p class="queue-head">
                {vote.proposal.replaceAll('_', ' ')}: {vote.target} of{' '}
                <PublicLink context={context} href={context.site.to.article(vote.slug)}>
                  {vote.slug}
                </PublicLink>
                , <Time iso={vote.ts} />, <ReceiptLink site={context.site} inv={vote.receipt} />
              </p>
              <UntrustedMark name={markName} />
              <VoteDetails vote={vote} />
              <p class="queue-text" dir="auto">
                {truncate(vote.rationale)}
              </p>
              <p class="hint" dir="auto">
                {vote.actor}
              </p>
              <UntrustedMark name={markName} end />
              <DecisionForm
                context={context}
                row="VOXEL_RATIFY"
                what={`the vote ${vote.id}`}
                fields={{ vote_id: vote.id }}
                choices={votes}
                hasNote={false}
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
                <a href={context.site.to.row('OIP_APPROVE')}>OIP_APPROVE</a>,{' '}
                <a href={context.site.to.row('MIRROR_RESOLVE')}>MIRROR_RESOLVE</a>,{' '}
                <a href={context.site.to.row('VOXEL_RATIFY')}>VOXEL_RATIFY</a>
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

function DecisionForm({
  context,
  row,
  what,
  fields,
  choices,
  hasNote = true,
  takesWording = false,
}: {
  readonly context: ConsoleContext;
  readonly row: string;
  readonly what: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly choices: Choices;
  readonly hasNote?: boolean;
  /** The owner may accept another wording than the proposed one. */
  readonly takesWording?: boolean;
}) {
  if (!context.may(row, fields['slug'])) return null;
  return (
    <CallForm context={context} row={row} section="waiting" name={`Decide ${what}`}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div class="decide">
        {hasNote ? (
          <label>
            Note <input name="note" aria-label={`Note on ${what}`} />
          </label>
        ) : null}
        {takesWording ? (
          <label>
            Other wording <input name="text" aria-label={`Other wording for ${what}`} />
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

function countSuffix({ items, more }: Waiting<unknown>): string {
  return items.length === 0
    ? ''
    : ` (${more ? `more than ${items.length}, the newest of them` : items.length})`;
}

function bodyText({ body }: WaitingCall): string {
  if (body === null) return 'The body was not kept.';
  return truncate(typeof body === 'string' ? body : JSON.stringify(body));
}

function truncate(text: string): string {
  return text.length > charsMax
    ? `${text.slice(0, charsMax).toWellFormed()}… (the receipt has it all)`
    : text;
}
