/** `/owner`: the first page of the desk: what waits, and where to begin. */
import type { WaitingView } from './waiting-page.tsx';
import { addressOf, type ConsoleContext, consolePage, sections } from './console-page.tsx';

export function startPage(context: ConsoleContext, view: WaitingView): string {
  const waiting = addressOf(context, sections.waiting.path);
  const counts = [
    [view.calls, 'call awaiting approval', 'calls awaiting approval'],
    [view.contributions, 'contribution', 'contributions'],
    [view.votes, 'vote', 'votes'],
  ] as const;
  const some = counts.filter(([{ items }]) => items.length > 0);
  return consolePage(
    context,
    'start',
    <section aria-labelledby="waits">
      <h2 id="waits">What waits</h2>
      {some.length === 0 ? (
        <p>
          Nothing waits for a decision. Contributions of readers and models, votes and calls that need
          approval appear here.
        </p>
      ) : (
        <ul>
          {some.map(([{ items, more }, one, several]) => (
            <li key={several}>
              <a href={waiting}>
                {more ? 'more than ' : ''}
                {items.length} {items.length === 1 ? one : several}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>,
  );
}
