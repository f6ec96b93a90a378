/** Which queue, of which article, kind, person and age, and in which order (contract §8). */
import { decisionQueues, type Facet, type WaitingPage } from '../../../../app/reads/waiting.ts';
import { queues, type Queue } from '../../../../model/vocabulary.ts';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Field } from '../../components/field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { actorText, countText } from '../../format-text.ts';
import { type ConsoleContext, sections } from '../console-page.tsx';
import { ages, waitingAddress, type WaitingPlace } from './place.tsx';
import { kindText, queueNames } from './words.ts';

type Props = Readonly<{
  context: ConsoleContext;
  view: { readonly page: WaitingPage; readonly place: WaitingPlace };
}>;

export function QueueTabs({ context, view }: Props) {
  const { counts } = view.page;
  const { queue, kind: _kind, after: _after, ...kept } = view.place;
  const isOwner = context.session.credential.kind === 'owner';
  const all = decisionQueues.reduce(
    (sum, each) => sum + (each === 'calls' && !isOwner ? 0 : counts[each]),
    0,
  );
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

export function QueueFilter({ context, view }: Props) {
  const { place, page } = view;
  const { articles, kinds, names } = page.facets;
  const { article, kind, person, age } = place;
  const isFiltered = [article, kind, person, age].some((each) => each !== undefined);
  if (articles.length + kinds.length === 0 && !isFiltered) return null;
  return (
    <form class="waiting-filter" method="get" action={`${context.site.root}/owner${sections.waiting.path}`}>
      {context.workspace === 'main' ? null : (
        <input type="hidden" name="workspace" value={context.workspace} />
      )}
      {place.queue === undefined ? null : <input type="hidden" name="queue" value={place.queue} />}
      <Combobox
        id="of-article"
        name="article"
        label="Article"
        value={article ?? ''}
        placeholder="any"
        suggestions={articles.map(({ value, title, count }) => ({ value, label: `${title} (${count})` }))}
      />
      <Combobox
        id="of-person"
        name="person"
        label="Person"
        value={person ?? ''}
        placeholder="anybody"
        suggestions={names.map(({ value, count }) => ({ value, label: `${actorText(value)} (${count})` }))}
      />
      <Select id="of-kind" name="kind" label="Kind" value={kind}>
        {[{ value: '', label: 'any' }, ...kindOptions(kinds, kind)]}
      </Select>
      <Select id="of-age" name="age" label="Waits for" value={age}>
        {[
          { value: '', label: 'any time' },
          ...Object.entries(ages).map(([value, { words }]) => ({ value, label: words })),
        ]}
      </Select>
      <Select id="order" name="order" label="Order" value={place.order}>
        {[
          { value: 'newest', label: 'newest first' },
          { value: 'oldest', label: 'oldest first' },
        ]}
      </Select>
      <Button>Show</Button>
      {isFiltered ? (
        <p class="waiting-found" role="status">
          {page.facets.isPartial ? 'More than ' : ''}
          {countText(page.facets.matching, 'item matches', 'items match')}.{' '}
          <a href={waitingAddress(context, { queue: place.queue, order: place.order })}>Show all</a>
        </p>
      ) : null}
    </form>
  );
}

/** The kinds that wait, and the one that is chosen though none of it waits. */
function kindOptions(kinds: readonly Facet[], chosen: string | undefined): readonly Option[] {
  const options = kinds.map(({ value, count }) => ({ value, label: `${kindText(value)} (${count})` }));
  return chosen === undefined || kinds.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: `${kindText(chosen)} (0)` }];
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function Select({
  id,
  name,
  label,
  value,
  children,
}: Readonly<{
  id: string;
  name: string;
  label: string;
  value: string | undefined;
  children: readonly Option[];
}>) {
  return (
    <Field id={id} label={label}>
      {(wired) => (
        <select name={name} {...wired}>
          {children.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What will appear here, why one wants it, and what to do now. */
export function Empty({ context, view: { place } }: Props) {
  const { article, kind, person, age } = place;
  if ([article, kind, person, age].some((each) => each !== undefined))
    return (
      <div class="empty">
        <p>
          <strong>Nothing that waits matches.</strong> Choose another article, person, kind or age.
        </p>
        <Button href={waitingAddress(context, { queue: place.queue })}>Show all</Button>
      </div>
    );
  return (
    <div class="empty">
      <p>
        <strong>Nothing waits here.</strong> {emptyWords[place.queue ?? 'all']}
      </p>
    </div>
  );
}

const emptyWords: Readonly<Record<Queue | 'all', string>> = {
  all: 'What readers and models propose, ask, object and vote on appears here, with what it would change, and so do calls that need your approval. Give somebody a share to begin.',
  calls:
    'Calls appear here that a share may make with your approval only, with the exact request and what it costs.',
  wording: 'Proposed wordings of claims appear here beside the present ones.',
  sources: 'Proposed sources appear here with the words that they rest on.',
  questions:
    'Questions of readers and models appear here; accepted ones become part of the article’s record.',
  objections:
    'Objections and challenges appear here with the text that they are about, until you settle them.',
  votes: 'Votes to burn, merge, split or raise something appear here with their reasons.',
  drafts: 'Drafts that others began appear here until they are published.',
  assignments: 'Work that somebody has leased from the landscape appears here until it is done.',
};
