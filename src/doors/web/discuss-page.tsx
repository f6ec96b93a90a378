/**
 * `/a/<slug>/discuss` (contract §8): everything that is said about an article, in threads by what it is about, with
 * forms to take part; the same about one block or claim (`?on=`), and the page of a single entry.
 */
import type { ComponentChildren } from 'preact';
import type { DiscussionEntry } from '../../app/reads/discussion.ts';
import { links } from '../../domain/links.ts';
import { DiscussionItem, EntryBody } from './discuss-entry.tsx';
import { entryName } from './said-words.ts';
import { Button } from './components/button.tsx';
import { DiffView } from './components/diff-view.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { wordDiff } from '../../represent/word-diff.ts';
import { ReceiptLink } from './parts.tsx';
import { SayForm } from './say-form.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';
import {
  type ListView,
  filtered,
  isListed,
  pageOf,
  Filter,
  Pages,
  ThreadSection,
  ThreadItems,
} from './discuss-thread.tsx';
import { type DiscussView, nameOf, textOf, formProps, TargetText } from './discuss-target.tsx';
import { type TargetView, Refusal } from './discuss-refusal.tsx';
import { Questions, HowToAsk } from './questions-asked.tsx';

export interface EntryView extends DiscussView {
  readonly entry: DiscussionEntry;
  /** The text that it was written about, where that has changed since. */
  readonly earlier?: string | undefined;
  /** It was recorded by the form that led here. */
  readonly isNew?: boolean;
  /** What was taken out of it before it was stored. */
  readonly removed?: string | undefined;
}

export function discussPage(site: Site, view: ListView): string {
  const { slug, discussion, shown, page } = view;
  const { state, count, waiting } = discussion;
  const all = discussion.threads.map((thread) => filtered(thread, shown)).filter(isListed);
  const { threads, pages } = pageOf(all, page);
  return frame(site, view, {
    title: `Discussion of ${state.row.title}`,
    canonical: `${links.article(site.service.base, slug)}/discuss`,
    // An empty discussion is of no use in a search engine.
    unlisted: page > 1 || shown !== 'all' || count === 0,
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
          <Button href={`${site.to.discuss(slug, { on: entry.target })}#say`}>
            Respond on {entry.target === '' ? 'the article' : entry.target}
          </Button>{' '}
          <a href={site.to.discuss(slug)}>All of the discussion</a>
        </p>
        {entry.waits ? <p class="section-note">{answersText(entry)}</p> : null}
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

/** How an entry is answered: the ledger has no free replies to one. */
function answersText({ from, target }: DiscussionEntry): string {
  if (from !== 'thread') return 'It is answered by the owner, who accepts or rejects it, with a note.';
  const what = nameOf(target);
  return `It is answered by a change of ${what}, by the owner, who settles it with a note, or by a vote that names it. What you say about ${what} stands beside it; the same words confirm it.`;
}
