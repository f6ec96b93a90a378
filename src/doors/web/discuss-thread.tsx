/** The threads of a discussion as a list (contract §8): what is shown of them, in pages, each with a form below it. */
import type { Thread } from '../../app/reads/discussion.ts';
import { ClaimNoteItem, DiscussionItem } from './discuss-entry.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { Tabs } from './components/tabs.tsx';
import { HeadingText } from './heading-text.tsx';
import { SayForm } from './say-form.tsx';
import type { Site } from './site.ts';
import { type DiscussView, formProps, isAnswerable, titleOf, TargetState } from './discuss-target.tsx';

/** What a page of the discussion shows of it. */
export type Shown = 'all' | 'open' | 'settled';

export interface ListView extends DiscussView {
  readonly shown: Shown;
  readonly page: number;
}

const entriesOnPage = 40;

export function filtered(thread: Thread, shown: Shown): Thread {
  if (shown === 'all') return thread;
  const entries = thread.entries.filter(({ waits }) => waits === (shown === 'open'));
  return { ...thread, entries, notes: shown === 'open' ? [] : thread.notes };
}

export function isListed({ entries, notes }: Thread): boolean {
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

export function Filter({ site, slug, view }: Readonly<{ site: Site; slug: string; view: ListView }>) {
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

export function Pages({ site, view, pages }: Readonly<{ site: Site; view: ListView; pages: number }>) {
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

export function ThreadSection({
  site,
  view,
  thread,
}: Readonly<{ site: Site; view: ListView; thread: Thread }>) {
  const { slug, discussion } = view;
  const { target } = thread;
  const id = `on-${target === '' ? 'article' : target}`;
  return (
    <section class="thread" aria-labelledby={id}>
      <h2 id={id} dir="auto">
        {target === '' ? (
          'The article as a whole'
        ) : (
          <a href={site.to.discuss(slug, { on: target })}>
            <HeadingText title={titleOf(discussion.state, target)} />
          </a>
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

export function ThreadItems({
  site,
  view,
  thread,
}: Readonly<{ site: Site; view: DiscussView; thread: Thread }>) {
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
