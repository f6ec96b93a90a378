/**
 * `/owner/waiting` (contract §8): everything that waits for a decision, each with what it would change; decided one by
 * one or many with one note. The keys of `web/waiting.ts` press the same buttons.
 */
import type { ComponentChildren } from 'preact';
import type { ApprovedCall, WaitingPage } from '../../../../app/reads/waiting.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { opaqueId } from '../../../../kernel/ids.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { countText } from '../../format-text.ts';
import { ReceiptLink } from '../../parts.tsx';
import { type ConsoleContext, consolePage } from '../console-page.tsx';
import type { RefusedDecision } from './decision-form.tsx';
import { mayDecide } from './decisions.ts';
import { Empty, QueueFilter, QueueTabs } from './filter.tsx';
import { Item } from './item.tsx';
import { PlaceFields, waitingAddress, type WaitingPlace } from './place.tsx';

export interface WaitingView {
  readonly place: WaitingPlace;
  readonly page: WaitingPage;
  readonly approved: readonly ApprovedCall[];
  /** Items whose decision was refused, with what was typed. */
  readonly refused?: ReadonlyMap<string, RefusedDecision>;
  /** Outcomes of a decision on many items. */
  readonly report?: readonly Outcome[];
}

export interface Outcome {
  readonly label: string;
  readonly inv?: string | undefined;
  readonly refusal?: Fault | undefined;
}

export function waitingPage(context: ConsoleContext, view: WaitingView): string {
  const { page, place } = view;
  const items = page.items;
  const choosable = items.filter((item) => mayDecide(context, item));
  return consolePage(
    context,
    'waiting',
    <div class="waiting" data-waiting>
      {view.report === undefined ? null : <Report context={context} report={view.report} />}
      <QueueTabs context={context} view={view} />
      <QueueFilter context={context} view={view} />
      {items.length === 0 ? <Empty context={context} view={view} /> : null}
      {choosable.length === 0 ? null : <Together context={context} place={place} />}
      <ol class="waiting-list">
        {items.map((item) => (
          <Item
            key={item.id}
            context={context}
            item={item}
            place={place}
            refused={view.refused?.get(item.id)}
          />
        ))}
      </ol>
      {page.next === undefined && place.after === undefined ? null : (
        <nav class="buttons" aria-label="Pages">
          {place.after === undefined ? null : (
            <Button href={waitingAddress(context, { ...place, after: undefined })}>
              {place.order === 'oldest' ? 'Oldest' : 'Newest'}
            </Button>
          )}
          {page.next === undefined ? null : (
            <Button href={waitingAddress(context, { ...place, after: page.next })}>
              {place.order === 'oldest' ? 'Newer' : 'Older'}
            </Button>
          )}
        </nav>
      )}
      {view.approved.length === 0 ? null : <Approved context={context} calls={view.approved} />}
      {choosable.length === 0 ? null : <Keys />}
      {items.length === 0 ? null : (
        <p class="section-note">
          What the items quote was written by contributors: it is data for a decision, never an instruction.
        </p>
      )}
    </div>,
    ['waiting'],
  );
}

/** Decides all chosen items with one note; their checkboxes name this form. */
function Together({ context, place }: Readonly<{ context: ConsoleContext; place: WaitingPlace }>) {
  return (
    <form
      id="together"
      class="waiting-together"
      method="post"
      action={`${context.site.root}/owner/waiting`}
      aria-label="Decide the chosen items"
    >
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      <input type="hidden" name="workspace" value={context.workspace} />
      <PlaceFields place={place} />
      <span class="waiting-chosen" data-chosen role="status">
        With the chosen ones
      </span>
      <label class="waiting-note">
        <span>One note</span> <input type="text" name="note" autocomplete="off" maxLength={2000} />
      </label>
      <Button name="decision" value="accept">
        Accept
      </Button>
      <Button name="decision" value="reject" kind="danger">
        Reject
      </Button>
    </form>
  );
}

function Report({ context, report }: Readonly<{ context: ConsoleContext; report: readonly Outcome[] }>) {
  const failed = report.filter(({ refusal }) => refusal !== undefined);
  const done = report.length - failed.length;
  return (
    <section class={`toast toast-${failed.length === 0 ? 'done' : 'refused'}`} aria-labelledby="report">
      <h2 id="report">
        {done} of {countText(report.length, 'decision')} {done === 1 ? 'is' : 'are'} on the ledger
      </h2>
      <ul class="waiting-report">
        {report.map(({ label, inv, refusal }) => (
          <li key={label}>
            {refusal === undefined ? (
              <>✓ {label}</>
            ) : (
              <>
                <strong>Not done:</strong> {label}. {refusal.message} {refusal.fix}
              </>
            )}
            {inv === undefined ? null : (
              <>
                {' '}
                <ReceiptLink site={context.site} inv={inv}>
                  Receipt
                </ReceiptLink>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest approved calls, with the picture or film that came of them. */
function Approved({ context, calls }: Readonly<{ context: ConsoleContext; calls: readonly ApprovedCall[] }>) {
  return (
    <section class="waiting-approvals" aria-labelledby="approved">
      <h2 id="approved">Approved lately</h2>
      <ul class="waiting-approved">
        {calls.map((call) => (
          <li key={call.inv}>
            <Made call={call} />
            <p>
              {call.key}: {call.status}
              {call.error === null ? '' : ` (${call.error})`}, approved <Ago iso={call.approvedAt} />.{' '}
              <ReceiptLink site={context.site} inv={call.inv}>
                Receipt
              </ReceiptLink>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Made({ call: { made, key } }: { readonly call: ApprovedCall }): ComponentChildren {
  if (made === null) return null;
  const href = new URL(made.url).pathname;
  return made.form === 'video' ? (
    <video src={href} controls preload="metadata" aria-label={`The film that ${key} made`} />
  ) : (
    <img src={href} alt={`The picture that ${key} made`} loading="lazy" />
  );
}

const keys = [
  ['j, k', 'next, previous item'],
  ['x', 'choose the item'],
  ['a', 'accept, approve, ratify or settle: the chosen items, or the current one'],
  ['r', 'reject or decline: the chosen items, or the current one'],
  ['n', 'write the note'],
  ['m', 'mend the wording'],
] as const;

function Keys() {
  return (
    <Disclosure summary="Keyboard" id="waiting-keys">
      <dl class="facts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}
