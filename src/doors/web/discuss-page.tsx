/**
 * `/a/<slug>/discuss` (contract §8): everything that is said about an article, in threads by what it is about, with
 * forms to take part; the same about one block or claim (`?on=`), and the page of a single entry.
 */
import type { ComponentChildren } from 'preact';
import type { Discussion, DiscussionEntry, Thread } from '../../app/reads/discussion.ts';
import { bodyOf, type ArticleState } from '../../domain/articles/state.ts';
import { plainText } from '../../domain/retrieval/snippet.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { links } from '../../domain/links.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { QuestionNode } from '../../model/question.ts';
import type { Form } from '../http/browser-forms.ts';
import { ClaimNoteItem, DiscussionItem, EntryBody, entryName } from './discuss-entry.tsx';
import { Ago } from './components/ago.tsx';
import { Button } from './components/button.tsx';
import { Chip } from './components/chip.tsx';
import { DiffView } from './components/diff-view.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { Tabs } from './components/tabs.tsx';
import { wordDiff } from '../../represent/word-diff.ts';
import { ReceiptLink } from './parts.tsx';
import { errorsByField, SayForm, type SayFormProps, violationsOf } from './say-form.tsx';
import { isSayingKind, type SayingKind, type SeenState } from './say.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

/** What a page of the discussion shows of it. */
export type Shown = 'all' | 'open' | 'settled';

export interface DiscussView {
  readonly slug: string;
  readonly discussion: Discussion;
}

export interface ListView extends DiscussView {
  readonly shown: Shown;
  readonly page: number;
}

/** A change since a refused form was opened. */
export interface Moved {
  /** What was said meanwhile, newest first. */
  readonly said: readonly DiscussionEntry[];
  /** The text has changed. */
  readonly isChanged: boolean;
  /** The text before and now, where both are known. */
  readonly text: { readonly before: string; readonly after: string } | undefined;
}

export interface TargetView extends DiscussView {
  readonly target: string;
  readonly chosen?: SayingKind | undefined;
  readonly quote?: string | undefined;
  readonly sent?: Form | undefined;
  readonly refusal?: Fault | undefined;
  readonly moved?: Moved | undefined;
}

export interface EntryView extends DiscussView {
  readonly entry: DiscussionEntry;
  /** The text that it was written about, where that has changed since. */
  readonly earlier?: string | undefined;
  /** It was recorded by the form that led here. */
  readonly isNew?: boolean;
  /** What was taken out of it before it was stored. */
  readonly removed?: string | undefined;
}

const entriesOnPage = 40;

export function discussPage(site: Site, view: ListView): string {
  const { slug, discussion, shown, page } = view;
  const { state, count, waiting } = discussion;
  const all = discussion.threads.map((thread) => filtered(thread, shown)).filter(isListed);
  const { threads, pages } = pageOf(all, page);
  return frame(site, view, {
    title: `Discussion of ${state.row.title}`,
    canonical: `${links.article(site.service.base, slug)}/discuss`,
    unlisted: page > 1 || shown !== 'all',
    heading: <>Discussion</>,
    children: (
      <>
        <p class="lead">
          {count === 0
            ? 'Nothing has been said about this article yet. You need no account: object to it, ask what it leaves open, propose a source or a better wording. What you send gets a receipt, and the owner answers.'
            : `${countText(count, 'entry', 'entries')}, ${waiting === 0 ? 'none waiting for an answer' : `${waiting} waiting for an answer`}. No account is needed to take part; names are shown as typed.`}
        </p>
        <Disclosure summary="Say something about the article" open={count === 0} isAction>
          <SayForm {...formProps(site, view, '')} />
        </Disclosure>
        {count > waiting && waiting > 0 ? <Filter site={site} slug={slug} view={view} /> : null}
        {threads.map((thread) => (
          <ThreadSection key={thread.target} site={site} view={view} thread={thread} />
        ))}
        <Pages site={site} view={view} pages={pages} />
        {discussion.unlisted === 0 ? null : (
          <p class="section-note">
            {countText(discussion.unlisted, 'older contribution')} that were not accepted are not listed here;{' '}
            <a href={site.to.part(slug, 'mirror')}>all as JSON</a>.
          </p>
        )}
        <Questions site={site} slug={slug} questions={discussion.questions}>
          <HowToAsk site={site} slug={slug} asked={discussion.questions.length} />
        </Questions>
      </>
    ),
  });
}

/** One block or claim, or the article as a whole: its text, the form, and what is said about it. */
export function targetPage(site: Site, view: TargetView): string {
  const { slug, discussion, target } = view;
  const thread = discussion.threads.find((each) => each.target === target);
  const what = target === '' ? '' : ` of ${discussion.state.row.title}`;
  return frame(site, view, {
    title: `${target === '' ? `Respond to ${discussion.state.row.title}` : `Discussion of ${target}`}${what}`,
    unlisted: true,
    heading: target === '' ? <>Respond to the article</> : <>Discussion of {nameOf(target)}</>,
    children: (
      <>
        <p class="discuss-back">
          <a href={site.to.discuss(slug)}>All of the discussion</a>
        </p>
        <TargetText site={site} view={view} target={target} />
        <Refusal site={site} view={view} />
        <SayForm
          {...formProps(site, view, target)}
          chosen={view.chosen}
          quote={view.quote}
          sent={view.sent}
          refusal={view.refusal}
        />
        {thread === undefined ? (
          <p class="section-note">Nothing has been said about {nameOf(target)} yet.</p>
        ) : (
          <section aria-labelledby="said">
            <h2 id="said">What has been said</h2>
            <ThreadItems site={site} view={view} thread={thread} />
          </section>
        )}
      </>
    ),
  });
}

/** One entry with what became of it. */
export function entryPage(site: Site, view: EntryView): string {
  const { slug, discussion, entry, earlier } = view;
  const { state } = discussion;
  const name = entryName(entry);
  const about = entry.target === '' ? '' : ` on ${entry.target}`;
  const answers = discussion.answers.get(entry.id) ?? [];
  const present = textOf(state, entry.target);
  return frame(site, view, {
    title: `${name}${about} of ${state.row.title}`,
    canonical: `${links.article(site.service.base, slug)}/discuss/${entry.id}`,
    feed: `${site.to.receipt(entry.receipt)}/feed.xml`,
    heading: (
      <>
        {name.slice(0, 1).toUpperCase()}
        {name.slice(1)}
        {about}
      </>
    ),
    children: (
      <>
        {view.isNew === true ? <Recorded site={site} view={view} /> : null}
        <TargetText site={site} view={view} target={entry.target} />
        <div class="entry entry-whole" id={entry.id}>
          <EntryBody site={site} slug={slug} entry={entry} discussion={discussion} />
        </div>
        {entry.textChanged && earlier !== undefined && present !== undefined ? (
          <section aria-labelledby="changed">
            <h2 id="changed">What has changed since</h2>
            <DiffView changes={wordDiff(earlier, present)} />
          </section>
        ) : null}
        {answers.length === 0 ? null : (
          <section aria-labelledby="answers">
            <h2 id="answers">Answers</h2>
            <ol class="entries">
              {answers.map((answer) => (
                <DiscussionItem
                  key={answer.id}
                  site={site}
                  slug={slug}
                  entry={answer}
                  discussion={discussion}
                />
              ))}
            </ol>
          </section>
        )}
        {entry.answers === null ? null : (
          <p class="section-note">
            It answers <a href={site.to.entry(slug, entry.answers)}>an earlier entry</a>.
          </p>
        )}
        <p>
          <Button href={`${site.to.discuss(slug, { on: entry.target })}#say`}>Respond</Button>{' '}
          <a href={site.to.discuss(slug)}>All of the discussion</a>
        </p>
      </>
    ),
  });
}

interface Frame {
  readonly title: string;
  readonly heading: ComponentChildren;
  readonly children: ComponentChildren;
  readonly canonical?: string;
  readonly unlisted?: boolean;
  /** An Atom feed of what becomes of it. */
  readonly feed?: string;
}

function frame(site: Site, { slug, discussion }: DiscussView, page: Frame): string {
  const { row } = discussion.state;
  return renderPage(
    site,
    {
      title: page.title,
      ...(page.canonical === undefined ? {} : { canonical: page.canonical }),
      unlisted: page.unlisted === true,
      alternates: [
        {
          type: 'application/json',
          href: links.articlePart(site.service.base, slug, 'discourse'),
          title: 'The entries of the thread as JSON',
        },
        ...(page.feed === undefined
          ? []
          : [{ type: 'application/atom+xml', href: page.feed, title: 'What becomes of this entry' }]),
      ],
      scripts: ['discuss'],
    },
    <article class="record discuss">
      <h1>{page.heading}</h1>
      <p class="discuss-of" dir="auto">
        <cite>
          <a href={site.to.article(slug)}>{row.title}</a>
        </cite>
      </p>
      {page.children}
    </article>,
  );
}

/** How a target is called in a sentence. */
export function nameOf(target: string): string {
  if (target === '') return 'the article';
  return target.startsWith('c') ? `claim ${target}` : `block ${target}`;
}

/** The present text of a block or claim; undefined for the article, and for a block that left it. */
export function textOf(state: ArticleState, target: string): string | undefined {
  const div = state.divs.get(target);
  if (div !== undefined) return div.status === 'current' ? div.text : undefined;
  return state.claims.get(target)?.claim.text;
}

/** What a form about a target compares when it is sent. */
export function seenState(discussion: Discussion, target: string): SeenState {
  const { state, threadHead } = discussion;
  const textHash =
    target === ''
      ? sha256Hex(bodyOf(state))
      : (state.divs.get(target)?.vx_hash ?? state.claims.get(target)?.claim.hash ?? '');
  return { threadHead, textHash };
}

function formProps(site: Site, { slug, discussion }: DiscussView, target: string): SayFormProps {
  return {
    site,
    slug,
    target,
    seen: seenState(discussion, target),
    wording: discussion.state.claims.get(target)?.claim.text,
  };
}

/** Whether a form about the target could be taken: not about a block or claim that left the article. */
function isAnswerable({ state }: Discussion, target: string): boolean {
  if (target === '') return true;
  const claim = state.claims.get(target)?.claim;
  return claim === undefined ? state.divs.get(target)?.status === 'current' : claim.status === 'active';
}

function filtered(thread: Thread, shown: Shown): Thread {
  if (shown === 'all') return thread;
  const entries = thread.entries.filter(({ waits }) => waits === (shown === 'open'));
  return { ...thread, entries, notes: shown === 'open' ? [] : thread.notes };
}

function isListed({ entries, notes }: Thread): boolean {
  return entries.length + notes.length > 0;
}

/** The threads of a page; one that is longer than a page goes on on the next. */
export function pageOf(
  threads: readonly Thread[],
  page: number,
): { readonly threads: readonly Thread[]; readonly pages: number } {
  const total = threads.reduce((sum, { entries }) => sum + Math.max(1, entries.length), 0);
  const [from, to] = [(page - 1) * entriesOnPage, page * entriesOnPage];
  const onPage: Thread[] = [];
  let at = 0;
  for (const thread of threads) {
    const length = Math.max(1, thread.entries.length);
    const entries = thread.entries.slice(Math.max(0, from - at), Math.max(0, to - at));
    const isHere = at < to && at + length > from;
    if (isHere) onPage.push({ ...thread, entries, notes: at >= from ? thread.notes : [] });
    at += length;
  }
  return { threads: onPage, pages: Math.max(1, Math.ceil(total / entriesOnPage)) };
}

function Filter({ site, slug, view }: Readonly<{ site: Site; slug: string; view: ListView }>) {
  const { count, waiting } = view.discussion;
  const choices: readonly (readonly [Shown, string, number])[] = [
    ['all', 'All', count],
    ['open', 'Open', waiting],
    ['settled', 'Settled and others', count - waiting],
  ];
  return (
    <Tabs
      label="Which entries"
      tabs={choices.map(([shown, name, entries]) => ({
        name,
        count: entries,
        href: site.to.discuss(slug, shown === 'all' ? {} : { show: shown }),
        current: shown === view.shown,
      }))}
    />
  );
}

function Pages({ site, view, pages }: Readonly<{ site: Site; view: ListView; pages: number }>) {
  if (pages === 1) return null;
  const { slug, page, shown } = view;
  const at = (n: number): string =>
    site.to.discuss(slug, {
      ...(shown === 'all' ? {} : { show: shown }),
      ...(n === 1 ? {} : { page: String(n) }),
    });
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? (
        <a href={at(page - 1)} rel="prev">
          Newer
        </a>
      ) : null}{' '}
      <span>
        Page {page} of {pages}
      </span>{' '}
      {page < pages ? (
        <a href={at(page + 1)} rel="next">
          Older
        </a>
      ) : null}
    </nav>
  );
}

function ThreadSection({ site, view, thread }: Readonly<{ site: Site; view: ListView; thread: Thread }>) {
  const { slug, discussion } = view;
  const { target } = thread;
  const id = `on-${target === '' ? 'article' : target}`;
  return (
    <section class="thread" aria-labelledby={id}>
      <h2 id={id} dir="auto">
        {target === '' ? (
          'The article as a whole'
        ) : (
          <a href={site.to.discuss(slug, { on: target })}>{titleOf(discussion.state, target)}</a>
        )}
      </h2>
      {target === '' ? null : (
        <p class="thread-of">
          <TargetState site={site} slug={slug} state={discussion.state} target={target} />
        </p>
      )}
      <ThreadItems site={site} view={view} thread={thread} />
      {target === '' || !isAnswerable(discussion, target) ? null : (
        <Disclosure summary={`Respond on ${target}`} isAction>
          <SayForm {...formProps(site, view, target)} brief />
          <p class="field-hint">
            <a href={site.to.discuss(slug, { on: target })}>More ways to respond</a>, among them a vote.
          </p>
        </Disclosure>
      )}
    </section>
  );
}

function ThreadItems({ site, view, thread }: Readonly<{ site: Site; view: DiscussView; thread: Thread }>) {
  const { slug, discussion } = view;
  return (
    <ol class="entries">
      {thread.notes.map((note) => (
        <ClaimNoteItem key={`${note.act} ${note.at}`} site={site} note={note} />
      ))}
      {thread.entries.map((entry) => (
        <DiscussionItem key={entry.id} site={site} slug={slug} entry={entry} discussion={discussion} />
      ))}
    </ol>
  );
}

const titleChars = 160;

/** A claim, or the beginning of a block without its markup, as the title of what is said about it. */
function titleOf(state: ArticleState, target: string): string {
  const claim = state.claims.get(target)?.claim;
  const text = claim?.text ?? plainText(state.divs.get(target)?.text ?? '').trim();
  if (text === '') return nameOf(target);
  return text.length <= titleChars ? text : `${text.slice(0, titleChars).toWellFormed().trimEnd()}…`;
}

/** What is discussed, where it stands, and what became of it. */
function TargetState({
  site,
  slug,
  state,
  target,
}: Readonly<{ site: Site; slug: string; state: ArticleState; target: string }>) {
  const claim = state.claims.get(target)?.claim;
  const status = claim?.status ?? state.divs.get(target)?.status;
  return (
    <>
      {nameOf(target)}
      {claim === undefined ? null : `, ${claim.tier}, version ${claim.version}`}{' '}
      {status === 'retracted' ? <Chip state="retracted" /> : null}
      {status === 'burned' || status === 'consolidated' ? 'has left the article' : null}{' '}
      <a href={status === 'current' ? `${site.to.article(slug)}#${target}` : site.to.div(slug, target)}>
        {status === 'current' ? 'Read it in its place' : 'Its page'}
      </a>
    </>
  );
}

/** The whole present text of what is discussed. */
function TargetText({
  site,
  view: { slug, discussion },
  target,
}: Readonly<{ site: Site; view: DiscussView; target: string }>) {
  const { state } = discussion;
  const claim = state.claims.get(target)?.claim;
  const text = claim?.text ?? state.divs.get(target)?.text;
  if (text === undefined) return null;
  return (
    <blockquote class="discuss-text" dir="auto">
      <p>{claim?.status === 'retracted' ? <s>{text}</s> : text}</p>
      <footer class="thread-of">
        <TargetState site={site} slug={slug} state={state} target={target} />
      </footer>
    </blockquote>
  );
}

/** Why a form was refused, and what has changed since it was opened. */
function Refusal({ site, view }: Readonly<{ site: Site; view: TargetView }>) {
  const { refusal, moved, slug, discussion, sent } = view;
  if (refusal === undefined) return null;
  const kind = sent?.get('as') ?? '';
  const atFields = isSayingKind(kind) ? errorsByField(refusal, kind) : new Map<string, readonly string[]>();
  const count = [...atFields.values()].reduce((sum, errors) => sum + errors.length, 0);
  const violations = violationsOf(refusal);
  const canonical = refusal.details?.['canonical'] as { readonly id?: string } | undefined;
  const said = canonical?.id === undefined ? undefined : discussion.byId.get(canonical.id);
  return (
    <div class="notice refusal" role="alert">
      <p>
        <strong>Nothing was recorded; what you typed is below.</strong>{' '}
        {count > 0
          ? 'See the fields that are marked.'
          : moved === undefined
            ? `${refusal.message} ${refusal.fix}`
            : movedText(moved, view.target)}
      </p>
      {count >= violations.length || violations.length === 0 ? null : (
        <ul>
          {violations.map(({ code, at, message, fix }) => (
            <li key={`${code} ${at}`}>
              {message} {fix}
            </li>
          ))}
        </ul>
      )}
      {said === undefined ? null : (
        <>
          <p>This is what was said already:</p>
          <ol class="entries">
            <DiscussionItem site={site} slug={slug} entry={said} discussion={discussion} />
          </ol>
        </>
      )}
      {moved?.text === undefined ? null : (
        <>
          <p>The text has changed:</p>
          <DiffView changes={wordDiff(moved.text.before, moved.text.after)} />
        </>
      )}
      {moved === undefined || moved.said.length === 0 ? null : (
        <ol class="entries">
          {moved.said.map((entry) => (
            <li key={entry.id} class="entry">
              <EntryBody site={site} slug={slug} entry={entry} discussion={discussion} showTarget />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function movedText({ said, isChanged }: Moved, target: string): string {
  const entries =
    said.length === 0 ? '' : `${countText(said.length, 'entry', 'entries')} came in while you wrote`;
  const changed = isChanged ? `${nameOf(target)} was changed while you wrote` : '';
  const both = [changed, entries].filter((part) => part !== '').join(', and ');
  return `${both === '' ? 'The discussion has moved on' : both.slice(0, 1).toUpperCase() + both.slice(1)}. Read it, and send again if it still holds.`;
}

/** After a form was taken: the receipt, and where to learn what becomes of it. */
function Recorded({ site, view: { entry, removed } }: Readonly<{ site: Site; view: EntryView }>) {
  return (
    <div class="notice recorded" role="status">
      <p>
        <strong>Recorded.</strong> {removed} It is public now, and the owner is asked for an answer where one
        is due. Your receipt is <ReceiptLink site={site} inv={entry.receipt} />: that page says what became of
        it whenever you come back, and a feed reader can{' '}
        <a href={`${site.to.receipt(entry.receipt)}/feed.xml`}>follow it</a>.
      </p>
    </div>
  );
}

/** Questions asked of the article so far, newest first, with their answers. */
export function Questions({
  site,
  slug,
  questions,
  children,
}: Readonly<{
  site: Site;
  slug: string;
  questions: readonly QuestionNode[];
  children?: ComponentChildren;
}>) {
  if (questions.length === 0 && children === undefined) return null;
  return (
    <section class="questions" aria-labelledby="questions">
      <h2 id="questions">Questions asked</h2>
      {children}
      <ol class="entries">
        {questions.slice(0, questionsMax).map((node) => (
          <li key={node.id} class="entry" id={node.id}>
            <p class="entry-head">
              {node.status === 'gap' ? (
                <Chip state="open" />
              ) : (
                <span class="chip chip-stance">
                  {node.status === 'answered' ? 'answered' : 'evidence added'}
                </span>
              )}
              {node.asked > 1 ? <span>asked {node.asked} times</span> : null}
              <span class="entry-time">
                <Ago iso={node.asked_at} />
              </span>
            </p>
            <p class="question" dir="auto">
              {node.question}
            </p>
            {node.answer_preview === '' ? null : (
              <p class="entry-body" dir="auto">
                {node.answer_preview}
              </p>
            )}
            <p class="entry-foot">
              {node.written_by === undefined ? null : <>Written by {node.written_by}. </>}
              {[...node.cited_claim_ids, ...node.cited_div_ids].length === 0 ? null : (
                <>
                  Rests on{' '}
                  {[...node.cited_claim_ids, ...node.cited_div_ids].map((id, i) => (
                    <>
                      {i === 0 ? '' : ', '}
                      <a key={id} href={site.to.div(slug, id)}>
                        {id}
                      </a>
                    </>
                  ))}
                  .{' '}
                </>
              )}
              {node.gaps.length === 0 ? null : (
                <>Missing: {node.gaps.map(({ detail }) => detail).join(' ')} </>
              )}
              <ReceiptLink site={site} inv={node.receipt}>
                Receipt
              </ReceiptLink>
            </p>
          </li>
        ))}
      </ol>
      {questions.length > questionsMax ? (
        <p class="section-note">
          The newest {questionsMax} of {questions.length};{' '}
          <a href={site.to.part(slug, 'question-graph')}>all as JSON</a>.
        </p>
      ) : null}
    </section>
  );
}

const questionsMax = 50;

function HowToAsk({ site, slug, asked }: Readonly<{ site: Site; slug: string; asked: number }>) {
  return (
    <p class="section-note">
      {asked === 0
        ? 'Nothing has been asked of this article yet. A question stays here with its answer, which is made of the claims and blocks of the article alone, and with what they leave open.'
        : 'Each answer is made of the claims and blocks of this article alone, and says what they leave open.'}{' '}
      <a href={`${site.to.discuss(slug, { on: '', as: 'question' })}#say`} rel="nofollow">
        Propose a question
      </a>{' '}
      to the owner, or{' '}
      <a href={`${site.to.owner}/a/${slug}#ask-title`} rel="nofollow">
        ask it at the desk
      </a>
      .
    </p>
  );
}
