/**
 * `/owner/waiting` (contract §8): everything that waits for a decision, each with what it would change; decided one by
 * one or many with one note. The keys of `web/waiting.ts` press the same buttons.
 */
import type { ComponentChildren } from 'preact';
import type { ApprovedCall, Target, WaitingItem, WaitingPage } from '../../../app/reads/waiting.ts';
import { decisionQueues } from '../../../app/reads/waiting.ts';
import { splitInvisible } from '../../../kernel/invisible-characters.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { isFault } from '../../../kernel/fault.ts';
import { opaqueId } from '../../../kernel/ids.ts';
import { parseJson } from '../../../kernel/json.ts';
import { voteDecisions } from '../../../model/vocabulary.ts';
import { wordDiff } from '../../../represent/word-diff.ts';
import { proposedSource } from '../../../domain/mirror/proposed-source.ts';
import { queues, type Queue } from '../../../domain/waiting/queue.ts';
import type { Form } from '../../http/browser-forms.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Chip } from '../components/chip.tsx';
import { Combobox } from '../components/combobox.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { Field } from '../components/field.tsx';
import { Quote } from '../components/quote.tsx';
import { Tabs } from '../components/tabs.tsx';
import { VoteDetails } from '../discourse-list.tsx';
import { countText } from '../format-text.ts';
import { Actor, ContributedLink, ReceiptLink } from '../parts.tsx';
import {
  CallForm,
  type ConsoleContext,
  consolePage,
  PublicLink,
  RowLink,
  sections,
} from './console-page.tsx';
import { decidingRow, mayDecide } from './decisions.ts';
import { writePaths } from './write/desk.ts';

/** Which page of the queue is looked at: as its address names it. */
export interface WaitingPlace {
  readonly queue?: Queue | undefined;
  readonly article?: string | undefined;
  readonly order?: 'oldest' | undefined;
  readonly after?: string | undefined;
}

export interface WaitingView {
  readonly place: WaitingPlace;
  readonly page: WaitingPage;
  readonly approved: readonly ApprovedCall[];
  /** Items whose decision was refused, with what was typed. */
  readonly refused?: ReadonlyMap<string, RefusedDecision>;
  /** Outcomes of a decision on many items. */
  readonly report?: readonly Outcome[];
}

export interface RefusedDecision {
  readonly refusal: Fault;
  readonly sent: Form;
}

export interface Outcome {
  readonly label: string;
  readonly inv?: string | undefined;
  readonly refusal?: Fault | undefined;
}

const queueNames: Readonly<Record<Queue, string>> = {
  calls: 'Calls',
  wording: 'Wording',
  sources: 'Sources',
  questions: 'Questions',
  objections: 'Objections',
  votes: 'Votes',
  drafts: 'Drafts',
  assignments: 'Assignments',
};

const charsMax = 4000;

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
      {items.length === 0 ? <Empty context={context} place={place} /> : null}
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

/** The address of a page of the queue. */
export function waitingAddress(context: ConsoleContext, place: WaitingPlace): string {
  const query = new URLSearchParams();
  if (context.workspace !== 'main') query.set('workspace', context.workspace);
  for (const name of ['queue', 'article', 'order', 'after'] as const) {
    const value = place[name];
    if (value !== undefined) query.set(name, value);
  }
  const text = query.toString();
  return `${context.site.root}/owner${sections.waiting.path}${text === '' ? '' : `?${text}`}`;
}

/** The place as fields of a form, so that its answer comes back to it. */
function PlaceFields({ place }: { readonly place: WaitingPlace }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(place)) if (value !== undefined) query.set(name, String(value));
  return <input type="hidden" name="place" value={query.toString()} />;
}

function QueueTabs({ context, view }: Readonly<{ context: ConsoleContext; view: WaitingView }>) {
  const { counts } = view.page;
  const { queue, order, article } = view.place;
  const isOwner = context.session.credential.kind === 'owner';
  const all = decisionQueues.reduce(
    (sum, each) => sum + (each === 'calls' && !isOwner ? 0 : counts[each]),
    0,
  );
  const kept = { ...(order === undefined ? {} : { order }), ...(article === undefined ? {} : { article }) };
  return (
    <Tabs
      label="Queues"
      tabs={[
        { name: 'All', href: waitingAddress(context, kept), count: all, current: queue === undefined },
        ...queues
          .filter((each) => each === queue || each === 'calls' || counts[each] > 0 || isDecision(each))
          .map((each) => ({
            name: queueNames[each],
            href: waitingAddress(context, { ...kept, queue: each }),
            count: counts[each],
            current: each === queue,
          })),
      ]}
    />
  );
}

function isDecision(queue: Queue): boolean {
  return decisionQueues.some((each) => each === queue);
}

function QueueFilter({ context, view }: Readonly<{ context: ConsoleContext; view: WaitingView }>) {
  const { place, page } = view;
  const articles = new Map(
    page.items.flatMap(({ article }) => (article === null ? [] : [[article.slug, article.title] as const])),
  );
  return (
    <form class="waiting-filter" method="get" action={`${context.site.root}/owner${sections.waiting.path}`}>
      {context.workspace === 'main' ? null : (
        <input type="hidden" name="workspace" value={context.workspace} />
      )}
      {place.queue === undefined ? null : <input type="hidden" name="queue" value={place.queue} />}
      <Combobox
        id="of-article"
        name="article"
        label="Of one article"
        value={place.article ?? ''}
        placeholder="any article"
        suggestions={[...articles].map(([value, label]) => ({ value, label }))}
      />
      <Field id="order" label="Order">
        {(wired) => (
          <select name="order" {...wired}>
            <option value="newest">newest first</option>
            <option value="oldest" selected={place.order === 'oldest'}>
              oldest first
            </option>
          </select>
        )}
      </Field>
      <Button>Show</Button>
    </form>
  );
}

function Empty({ context, place }: Readonly<{ context: ConsoleContext; place: WaitingPlace }>) {
  if (place.article !== undefined)
    return (
      <p>
        Nothing about <code>{place.article}</code> waits here.{' '}
        <a href={waitingAddress(context, { queue: place.queue })}>Show every article</a>.
      </p>
    );
  return (
    <p>
      Nothing waits here. Readers and models propose wordings and sources, ask, object and vote on every
      article; what they send appears here with what it would change, and so do calls that need approval.
    </p>
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

interface ItemProps {
  readonly context: ConsoleContext;
  readonly item: WaitingItem;
  readonly place: WaitingPlace;
  readonly refused: RefusedDecision | undefined;
}

function Item(props: ItemProps) {
  const { context, item } = props;
  const label = labelOf(item);
  const decidable = mayDecide(context, item);
  return (
    <li class="waiting-item" id={item.id} data-step tabIndex={-1} aria-labelledby={`${item.id}-title`}>
      <div class="waiting-head">
        {decidable ? (
          <label class="waiting-choose">
            <input type="checkbox" form="together" name={`choose ${item.queue} ${item.id}`} value="1" />
            <span class="visually-hidden">Choose {label}</span>
          </label>
        ) : null}
        <h2 id={`${item.id}-title`}>
          <Subject context={context} item={item} />
        </h2>
        <span class="waiting-facts">
          {'isStale' in item && item.isStale ? <Chip state="stale" /> : null}
          <Ago iso={item.ts} />
          {receiptOf(item) === undefined ? null : (
            <ReceiptLink site={context.site} inv={receiptOf(item) as string}>
              Receipt
            </ReceiptLink>
          )}
        </span>
      </div>
      <ItemBody {...props} />
      {props.refused === undefined ? null : <Refused refused={props.refused} />}
      {decidable ? <DecisionForm {...props} label={label} /> : null}
      <FurtherActs context={context} item={item} />
    </li>
  );
}

/** What else can be done about it: edit the block, answer in the discussion, open the draft. */
function FurtherActs({ context, item }: Readonly<{ context: ConsoleContext; item: WaitingItem }>) {
  const { article } = item;
  if (article === null) return null;
  const { slug } = article;
  const { root, to } = context.site;
  const target = 'target' in item ? item.target : null;
  const acts: (readonly [string, string])[] = [];
  if (target !== null && target.id.startsWith('d') && context.may('VOXEL_EDIT', slug))
    acts.push(['Edit the block', writePaths(root).edit(slug, target.id)]);
  if (item.kind === 'entry' && context.isOpen) {
    acts.push(['Reply', `${to.discuss(slug, { on: item.post.target })}#say`]);
    acts.push(['Open in the discussion', to.entry(slug, item.post.id)]);
  }
  if (item.kind === 'draft') acts.push(['Open the draft', writePaths(root).article(slug)]);
  if (acts.length === 0) return null;
  return (
    <p class="waiting-further">
      {acts.map(([name, href]) => (
        <a key={name} href={href}>
          {name}
        </a>
      ))}
    </p>
  );
}

/** What an item is, in words: names it in labels and reports. */
export function labelOf(item: WaitingItem): string {
  const of = item.article === null ? '' : ` of ${item.article.title}`;
  switch (item.kind) {
    case 'call':
      return `the call of ${item.call.key}`;
    case 'contribution': {
      const { kind, claim_id: claimId, actor } = item.contribution;
      const where =
        claimId === ''
          ? ` about ${item.article?.title ?? 'the article'}`
          : `${kind === 'question' || kind === 'objection' ? ' on' : ' of'} ${claimId}${of}`;
      return `the ${kindNames[kind] ?? kind}${where} by ${actor}`;
    }
    case 'entry':
      return `the ${item.post.stance} on ${item.post.target === '' ? 'the article' : item.post.target}${of} by ${item.post.actor}`;
    case 'vote':
      return `the vote that ${item.vote.target} ${item.vote.proposal.replaceAll('_', ' ')}${of}`;
    case 'draft':
      return `the draft ${item.article?.title ?? item.id}`;
    case 'assignment':
      return `the assignment ${item.id}`;
  }
}

const kindNames: Readonly<Record<string, string>> = { repair: 'rewording', compression: 'shorter wording' };

function receiptOf(item: WaitingItem): string | undefined {
  if (item.kind === 'call') return item.call.inv;
  if (item.kind === 'contribution') return item.contribution.receipt;
  if (item.kind === 'entry') return item.post.receipt;
  if (item.kind === 'vote') return item.vote.receipt;
  return item.kind === 'assignment' ? item.assignment.record.receipt : undefined;
}

function Subject({ context, item }: Readonly<{ context: ConsoleContext; item: WaitingItem }>) {
  switch (item.kind) {
    case 'call':
      return (
        <>
          <RowLink context={context} row={item.call.key} /> by{' '}
          <Actor site={context.site} actor={item.call.actor} />
        </>
      );
    case 'contribution': {
      const { kind, claim_id: claimId, actor, tier } = item.contribution;
      return (
        <>
          <Place context={context} item={item} id={claimId} /> · {kindNames[kind] ?? kind}
          {tier === undefined ? '' : ` as ${tier}`} by <bdi>{actor}</bdi>
        </>
      );
    }
    case 'entry':
      return (
        <>
          {item.post.stance} on <Place context={context} item={item} id={item.post.target} /> by{' '}
          <bdi>{item.post.actor}</bdi>
        </>
      );
    case 'vote':
      return (
        <>
          <Place context={context} item={item} id={item.vote.target} />{' '}
          {item.vote.proposal.replaceAll('_', ' ')} · vote of <bdi>{item.vote.actor}</bdi>
        </>
      );
    case 'draft':
      return (
        <>
          {item.article?.title} · draft of <Actor site={context.site} actor={item.actor} />
        </>
      );
    case 'assignment': {
      const { record } = item.assignment;
      return (
        <>
          {record.lane} of <bdi>{record.item.target.name}</bdi> in {record.cohort}
        </>
      );
    }
  }
}

/** `c2 of Async iterators`, linked. */
function Place({ context, item, id }: Readonly<{ context: ConsoleContext; item: WaitingItem; id: string }>) {
  const { article } = item;
  if (article === null) return <>{id}</>;
  const { to } = context.site;
  const href = /^c\d+$/.test(id)
    ? to.claim(article.slug, id)
    : /^d\d+$/.test(id)
      ? to.div(article.slug, id)
      : to.article(article.slug);
  return (
    <PublicLink context={context} href={href}>
      {/^[cd]\d+$/.test(id) ? `${id} of ${article.title}` : article.title}
    </PublicLink>
  );
}

function ItemBody(props: ItemProps) {
  const { item, context } = props;
  switch (item.kind) {
    case 'call':
      return (
        <>
          {item.call.purpose === null ? null : <p dir="auto">{item.call.purpose}</p>}
          <Request body={item.call.body} />
          <p class="waiting-hint">{costText(item.call)}</p>
        </>
      );
    case 'contribution':
      return <ContributionBody {...props} item={item} />;
    case 'entry':
      return (
        <>
          <About target={item.target} context={context} />
          {item.isStale ? (
            <p class="waiting-hint">The text has changed since this was said; above is how it reads now.</p>
          ) : null}
          <Contributed text={item.post.body} />
          {item.post.minimum_patch === null ? null : (
            <p class="waiting-hint" dir="auto">
              Smallest change that would answer it: {item.post.minimum_patch}
            </p>
          )}
        </>
      );
    case 'vote':
      return (
        <>
          <About target={item.target} context={context} />
          <VoteDetails vote={item.vote} />
          <Contributed text={item.vote.rationale} />
        </>
      );
    case 'draft':
      return (
        <p class="waiting-hint">
          <code>{item.article?.slug}</code>, last changed <Ago iso={item.updatedAt} />. Readers do not see it
          until it is published.
        </p>
      );
    case 'assignment': {
      const { record, result } = item.assignment;
      const isOver = record.expires_at <= new Date(context.site.service.now()).toISOString();
      return (
        <>
          <p class="waiting-hint">
            Leased by <Actor site={context.site} actor={record.actor} />, {isOver ? 'lapsed' : 'until'}{' '}
            <Ago iso={record.expires_at} />; {countText(result.length, 'object')} landed.
          </p>
          {context.may('LANDSCAPE_RETURN') ? (
            <CallForm context={context} row="LANDSCAPE_RETURN" section="waiting" name={`Return ${record.id}`}>
              <PlaceFields place={props.place} />
              <input type="hidden" name="assignment" value={record.id} />
              <Button>Give the lease back</Button>
            </CallForm>
          ) : null}
        </>
      );
    }
  }
}

function ContributionBody({
  item,
}: ItemProps & { readonly item: Extract<WaitingItem, { readonly kind: 'contribution' }> }) {
  const { contribution, target, isStale } = item;
  const { kind, body, rationale } = contribution;
  const changesWording = kind === 'repair' || kind === 'compression';
  return (
    <>
      {changesWording && target !== null ? (
        <DiffView
          layout="sides"
          before="Now"
          after="Proposed"
          changes={wordDiff(truncate(target.text), truncate(body))}
        />
      ) : (
        <>
          {target === null ? null : <Quote text={truncate(target.text)} source={target.id} />}
          {kind === 'source' ? <ProposedSource body={body} /> : <Contributed text={body} />}
        </>
      )}
      {isStale ? (
        <p class="waiting-hint">
          It was proposed on an earlier wording; the comparison is with the present one, which accepting
          replaces.
        </p>
      ) : null}
      {rationale === null ? null : (
        <p class="waiting-hint" dir="auto">
          Why: {truncate(rationale)}
        </p>
      )}
    </>
  );
}

function ProposedSource({ body }: { readonly body: string }) {
  const source = proposedSource(body);
  if (isFault(source)) return <Contributed text={body} />;
  return (
    <Quote
      text={truncate(source.quote)}
      source={
        <>
          <bdi>{source.title}</bdi>, <ContributedLink href={source.url}>{source.url}</ContributedLink> (
          {source.type})
        </>
      }
    />
  );
}

/** The paragraph or claim that something is said about. */
function About({ target }: Readonly<{ target: Target | null; context: ConsoleContext }>) {
  // Of a heading its words, without the marks of Markdown.
  return target === null ? null : (
    <Quote text={truncate(target.text.replace(/^#{1,6} /, ''))} source={target.id} />
  );
}

function Contributed({ text }: { readonly text: string }) {
  return (
    <p class="waiting-text" dir="auto">
      {splitInvisible(truncate(text)).map(({ text: visible, hidden }, i) => (
        <span key={i}>
          {visible}
          {hidden === undefined ? null : <span class="unseen-mark">[{hidden}]</span>}
        </span>
      ))}
    </p>
  );
}

/** The exact request: its arguments by name, as they are recorded. */
function Request({ body }: { readonly body: unknown }) {
  if (body === null) return <p class="waiting-hint">The body was not kept.</p>;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  const args = parsed === undefined || isFault(parsed) ? undefined : parsed.value;
  if (args === undefined || args === null || typeof args !== 'object')
    return <pre class="waiting-request">{truncate(text)}</pre>;
  return (
    <dl class="waiting-request">
      {Object.entries(args).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{truncate(typeof value === 'string' ? value : JSON.stringify(value, null, 1))}</dd>
        </div>
      ))}
    </dl>
  );
}

function costText({ usualUsdMicros, key, body }: Extract<WaitingItem, { kind: 'call' }>['call']): string {
  if (key === 'CREATIVE_GENERATE' && /"engine"\s*:\s*"local"|^local\|/.test(String(body)))
    return 'Costs nothing: it is drawn on this machine.';
  if (usualUsdMicros === null) return 'Its cost is not known before it runs.';
  return `Costs about $${(usualUsdMicros / 1_000_000).toFixed(usualUsdMicros < 10_000 ? 4 : 2)}, as the last calls of ${key} did.`;
}

function Refused({ refused: { refusal } }: { readonly refused: RefusedDecision }) {
  const violations = (refusal.details?.['violations'] ?? []) as readonly {
    readonly code: string;
    readonly message: string;
    readonly fix: string;
  }[];
  return (
    <div class="toast toast-refused" role="alert">
      <p>
        <strong>Not done.</strong> {refusal.message} {refusal.fix}
      </p>
      {violations.length < 2 ? null : (
        <ul>
          {violations.map(({ code, message, fix }) => (
            <li key={`${code} ${message}`}>
              {message} {fix}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Choices = readonly (readonly [decision: string, label: string, shortcut?: 'a' | 'r'])[];

const voteWords: Readonly<Record<string, readonly [string, ('a' | 'r')?]>> = {
  ratified: ['Ratify', 'a'],
  rejected: ['Reject', 'r'],
  deferred: ['Defer'],
};
const choicesOf: Readonly<Record<string, Choices>> = {
  OIP_APPROVE: [
    ['approved', 'Approve', 'a'],
    ['declined', 'Decline', 'r'],
  ],
  MIRROR_RESOLVE: [
    ['accepted', 'Accept', 'a'],
    ['rejected', 'Reject', 'r'],
  ],
  VOXEL_RATIFY: voteDecisions.map((decision) => {
    const [label, shortcut] = voteWords[decision] ?? [decision];
    return shortcut === undefined ? [decision, label] : [decision, label, shortcut];
  }),
};

function DecisionForm({ context, item, place, refused, label }: ItemProps & { readonly label: string }) {
  const row = decidingRow(item) as string;
  const sent = refused?.sent;
  const isWording = item.kind === 'contribution' && item.queue === 'wording' && item.target !== null;
  const proposed = item.kind === 'contribution' ? item.contribution.body : '';
  return (
    <CallForm context={context} row={row} section="waiting" name={`Decide ${label}`}>
      <PlaceFields place={place} />
      <input type="hidden" name="item" value={`${item.queue} ${item.id}`} />
      {Object.entries(fieldsOf(item)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {isWording ? (
        <Disclosure summary="Mend the wording, then accept" open={sent?.has('text') === true}>
          <label for={`${item.id}-text`}>The wording that is accepted</label>
          <textarea id={`${item.id}-text`} name="text" rows={3} dir="auto" maxLength={8000}>
            {sent?.get('text') ?? proposed}
          </textarea>
        </Disclosure>
      ) : null}
      <div class="waiting-decide">
        {item.kind === 'vote' ? null : (
          <label class="waiting-note">
            <span>{item.kind === 'entry' ? 'What answers it' : 'Note'}</span>{' '}
            <input
              type="text"
              name="note"
              autocomplete="off"
              maxLength={2000}
              required={item.kind === 'entry'}
              value={sent?.get('note') ?? ''}
              aria-keyshortcuts="n"
              aria-label={`Note on ${label}`}
            />
          </label>
        )}
        {item.kind === 'entry' ? (
          <Button aria-keyshortcuts="a">Settle</Button>
        ) : (
          choicesOf[row]?.map(([decision, text, shortcut]) => (
            <Button
              key={decision}
              name="decision"
              value={decision}
              {...(shortcut === undefined ? {} : { 'aria-keyshortcuts': shortcut })}
            >
              {text}
            </Button>
          ))
        )}
      </div>
    </CallForm>
  );
}

/** The arguments that a form of the item carries. */
function fieldsOf(item: WaitingItem): Readonly<Record<string, string>> {
  switch (item.kind) {
    case 'call':
      return { id: item.call.inv };
    case 'contribution':
      return {
        slug: item.contribution.article,
        contribution_id: item.contribution.id,
        ...(item.isStale && item.target !== null ? { expected_hash: item.target.hash } : {}),
      };
    case 'entry':
      return { slug: item.article?.slug ?? '', entry: item.post.id };
    case 'vote':
      return { vote_id: item.vote.id };
    default:
      return {};
  }
}

/** The newest approved calls, with the picture or film that came of them. */
function Approved({ context, calls }: Readonly<{ context: ConsoleContext; calls: readonly ApprovedCall[] }>) {
  return (
    <section aria-labelledby="approved">
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
      <dl class="facts" data-shortcuts="On this page">
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

function truncate(text: string): string {
  return text.length > charsMax
    ? `${text.slice(0, charsMax).toWellFormed()}… (the receipt has it all)`
    : text;
}
