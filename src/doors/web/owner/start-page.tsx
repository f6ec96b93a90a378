/** `/owner`: the first page of the desk: what waits, what came last, and where to begin. */
import { decisionQueues, type WaitingPage } from '../../../app/reads/waiting.ts';
import type { Queue } from '../../../model/vocabulary.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { countText } from '../format-text.ts';
import { addressOf, type ConsoleContext, consolePage, sections } from './console-page.tsx';
import { waitingAddress } from './waiting/place.tsx';
import { labelOf } from './waiting/words.ts';
import { writePaths } from './write/desk.ts';

const queueWords: Readonly<Partial<Record<Queue, readonly [one: string, many: string]>>> = {
  calls: ['call for your approval', 'calls for your approval'],
  wording: ['proposed wording', 'proposed wordings'],
  sources: ['proposed source', 'proposed sources'],
  questions: ['question', 'questions'],
  objections: ['objection or challenge', 'objections and challenges'],
  votes: ['vote', 'votes'],
};

export function startPage(context: ConsoleContext, page: WaitingPage): string {
  const write = writePaths(context.site.root);
  const isOwner = context.session.credential.kind === 'owner';
  const some = decisionQueues.filter((queue) => page.counts[queue] > 0);
  return consolePage(
    context,
    'start',
    <>
      <section aria-labelledby="waits">
        <h2 id="waits">What waits</h2>
        {some.length === 0 ? (
          <p>
            Nothing waits for a decision. What readers and models propose, object and vote on appears here,
            with the calls that need approval.
          </p>
        ) : (
          <ul class="desk-counts">
            {some.map((queue) => {
              const [one, many] = queueWords[queue] ?? [queue, queue];
              return (
                <li key={queue}>
                  <a href={waitingAddress(context, { queue })}>{countText(page.counts[queue], one, many)}</a>
                </li>
              );
            })}
          </ul>
        )}
      </section>
      {page.items.length === 0 ? null : (
        <section aria-labelledby="latest">
          <h2 id="latest">Came last</h2>
          <ul class="desk-latest">
            {page.items.map((item) => (
              <li key={item.id}>
                <a href={`${waitingAddress(context, { queue: item.queue })}#${item.id}`}>
                  {titled(labelOf(item))}
                </a>{' '}
                <Ago iso={item.ts} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="begin">
        <h2 id="begin">Begin</h2>
        <p class="buttons">
          <Button href={waitingAddress(context, {})} kind="primary">
            Decide what waits
          </Button>
          {context.may('VOXEL_BATCH') ? <Button href={write.create}>Write an article</Button> : null}
          <Button href={write.articles}>Articles and drafts</Button>
          {isOwner ? (
            <>
              <Button href={addressOf(context, sections.access.path)}>Share access</Button>
              <Button href={addressOf(context, sections.costs.path)}>See costs and growth</Button>
            </>
          ) : null}
        </p>
      </section>
    </>,
  );
}

/** `the question on c1` as a line of its own. */
function titled(label: string): string {
  const bare = label.replace(/^the /, '');
  return bare.charAt(0).toLocaleUpperCase('en-GB') + bare.slice(1);
}
