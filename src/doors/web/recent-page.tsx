/** `/recent` (contract §8): what happened to published articles, in plain words, by day, with filters and a feed. */
import type { Activity, ActivityPage } from '../../app/reads/activity.ts';
import { activityKinds, type ActivityKind } from '../../model/vocabulary.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { sourceIn } from './said-words.ts';
import { Ago } from './components/ago.tsx';
import { Button } from './components/button.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { Field } from './components/field.tsx';
import { Tabs } from './components/tabs.tsx';
import { countText, dateText } from './format-text.ts';
import { Actor, ActWords, ReceiptLink } from './parts.tsx';
import { typedName, wordsOf } from './plain-words.ts';
import { renderPage } from './shell.tsx';
import { jsonOf, type Site } from './site.ts';
import { excerptOf } from '../../kernel/text.ts';

export interface RecentView extends ActivityPage {
  /** As the reader gave them; '' for none. */
  readonly kind: ActivityKind | undefined;
  readonly article: string;
  readonly who: string;
  readonly tag: string;
  readonly since: string;
  readonly workspace: string;
  readonly isFirst: boolean;
  /** Tags to choose from. */
  readonly tags: readonly string[];
  /** What is wrong with a filter, by its name. */
  readonly problems: ReadonlyMap<string, string>;
}

export const kindNames: Readonly<Record<ActivityKind, string>> = {
  text: 'Text',
  claims: 'Claims',
  sources: 'Sources',
  discussion: 'Discussion',
  contributions: 'Contributions',
  decisions: 'Decisions',
  published: 'Published',
};

type Filters = Pick<RecentView, 'kind' | 'article' | 'who' | 'tag' | 'since' | 'workspace'>;

/** The address of a page of changes with these filters. */
export function recentUrl(path: string, view: Filters, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    ...(view.kind === undefined ? {} : { kind: view.kind }),
    ...(view.article === '' ? {} : { article: view.article }),
    ...(view.who === '' ? {} : { who: view.who }),
    ...(view.tag === '' ? {} : { tag: view.tag }),
    ...(view.since === '' ? {} : { since: view.since }),
    ...(view.workspace === mainTenant ? {} : { workspace: view.workspace }),
    ...more,
  }).toString();
  return query === '' ? path : `${path}?${query}`;
}

export function recentPage(site: Site, view: RecentView): string {
  const { items, next, isFirst } = view;
  const path = `${site.root}/recent`;
  const feed = recentUrl(`${path}/feed.xml`, view);
  const isFiltered = recentUrl(path, view) !== path;
  const days = Map.groupBy(items, ({ ts }) => ts.slice(0, 10));
  return renderPage(
    site,
    {
      title: 'Recent changes',
      description: 'What happened to the articles: text, claims, sources, discussion and decisions.',
      canonical: `${site.service.base}/recent`,
      alternates: [
        ...jsonOf(site, 'recent', 'Recent changes as JSON'),
        { type: 'application/atom+xml', href: feed, title: 'Recent changes' },
      ],
      unlisted: isFiltered || !isFirst,
      register: 'working',
      here: 'Recent',
    },
    <div class="recent">
      <h1>Recent changes</h1>
      <Tabs
        label="Kinds of change"
        tabs={[
          {
            name: 'All',
            href: recentUrl(path, { ...view, kind: undefined }),
            current: view.kind === undefined,
          },
          ...activityKinds.map((kind) => ({
            name: kindNames[kind],
            href: recentUrl(path, { ...view, kind }),
            current: view.kind === kind,
          })),
        ]}
      />
      <Disclosure
        summary="Filter by article, person, tag or date"
        open={[view.article, view.who, view.tag, view.since].some((each) => each !== '')}
      >
        <Filter site={site} view={view} />
      </Disclosure>
      {items.length === 0 ? (
        <Empty site={site} view={view} isFiltered={isFiltered} path={path} hasMore={next !== null} />
      ) : (
        <>
          {[...days].map(([day, acts]) => (
            <section key={day} aria-labelledby={`day-${day}`}>
              <h2 id={`day-${day}`}>{dateText(day)}</h2>
              <ul class="acts">
                {acts.map((act) => (
                  <Item key={act.seq} site={site} act={act} />
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
      <nav class="turn" aria-label="Pages of changes">
        {isFirst ? null : <a href={recentUrl(path, view)}>Newest changes</a>}
        {next === null ? null : <a href={recentUrl(path, view, { before: String(next) })}>Older changes</a>}
        <a href={feed}>{isFiltered ? 'Feed of these changes' : 'Feed'}</a>
      </nav>
    </div>,
  );
}

function Filter({ site, view }: Readonly<{ site: Site; view: RecentView }>) {
  const { kind, article, who, tag, tags, since, workspace, problems } = view;
  return (
    <form class="recent-filter" method="get" action={`${site.root}/recent`} aria-label="Filter">
      {kind === undefined ? null : <input type="hidden" name="kind" value={kind} />}
      {workspace === mainTenant ? null : <input type="hidden" name="workspace" value={workspace} />}
      <Field id="article" label="Article" hint="Its slug, as in its address." error={problems.get('article')}>
        {(wired) => <input {...wired} type="text" name="article" value={article} maxLength={120} />}
      </Field>
      <Field id="who" label="Who" error={problems.get('who')}>
        {(wired) => (
          <select {...wired} name="who">
            {[
              ['', 'Everybody'],
              ['owner', 'The owner'],
              ['contributors', 'Contributors with a share or key'],
              ['anonymous', 'Anonymous callers'],
              ...(who.startsWith('cap_') ? [[who, who] as const] : []),
            ].map(([value, name]) => (
              <option key={value} value={value} selected={value === who}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field id="tag" label="Tag" error={problems.get('tag')}>
        {(wired) => (
          <>
            <input
              {...wired}
              type="text"
              name="tag"
              value={tag}
              list="tags"
              maxLength={200}
              autocomplete="off"
            />
            <datalist id="tags">
              {tags.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field id="since" label="Since" error={problems.get('since')}>
        {(wired) => <input {...wired} name="since" type="date" value={since} />}
      </Field>
      <p class="recent-go">
        <Button>Show</Button>
      </p>
    </form>
  );
}

function Empty({
  site,
  view,
  isFiltered,
  path,
  hasMore,
}: Readonly<{ site: Site; view: RecentView; isFiltered: boolean; path: string; hasMore: boolean }>) {
  if (view.problems.size > 0) return <p>Correct the filter that is marked, and the changes appear here.</p>;
  if (hasMore) return <p>Nothing among the newest changes fits these filters. Older ones may.</p>;
  if (isFiltered)
    return (
      <p>
        Nothing fits these filters. <a href={path}>Show all changes</a>, or take one of them away.
      </p>
    );
  return (
    <p>
      Nothing has happened yet. When an article is published, a claim reworded, a source added or an objection
      filed, it appears here within a second. <a href={site.to.docs}>How to write the first article</a>.
    </p>
  );
}

const saidChars = 280;

/** Who did what, and when. */
export function ActLine({ site, act }: Readonly<{ site: Site; act: Activity }>) {
  const { ts, actor, name, article, receipt, rest } = act;
  return (
    <>
      {name === null || name === '' ? (
        <Actor site={site} actor={actor} />
      ) : (
        <span class="who">
          <bdi>{typedName(name)}</bdi>
        </span>
      )}{' '}
      <ActWords site={site} slug={article.slug} words={wordsOf(act.act, article)} />
      {restText(rest)}
      <span class="aside">
        {' · '}
        <Ago iso={ts} />
        {receipt === null ? null : (
          <>
            {' · '}
            <ReceiptLink site={site} inv={receipt}>
              receipt
            </ReceiptLink>
          </>
        )}
      </span>
    </>
  );
}

function Item({ site, act }: Readonly<{ site: Site; act: Activity }>) {
  const { said } = act;
  return (
    <li>
      <p>
        <ActLine site={site} act={act} />
      </p>
      {said === null ? null : (
        <q class="reason" dir="auto">
          {saidText(said)}
        </q>
      )}
    </li>
  );
}

/** The words of an act; of a proposed source its quote instead of its JSON. */
function saidText(said: string): string {
  const text = sourceIn(said)?.quote ?? said;
  return excerptOf(text, saidChars);
}

const counted: Readonly<Record<ActivityKind, readonly [one: string, many: string]>> = {
  text: ['change of the text', 'changes of the text'],
  claims: ['claim', 'claims'],
  sources: ['act on sources', 'acts on sources'],
  discussion: ['entry of the discussion', 'entries of the discussion'],
  contributions: ['contribution', 'contributions'],
  decisions: ['decision', 'decisions'],
  published: ['publication', 'publications'],
};

/** “, with 12 claims and 2 acts on sources”: the further acts of the same call. */
export function restText(rest: Activity['rest']): string {
  const parts = activityKinds.flatMap((kind) => {
    const count = rest[kind] ?? 0;
    return count === 0 ? [] : [countText(count, ...counted[kind])];
  });
  if (parts.length === 0) return '';
  return `, with ${parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`}`;
}
