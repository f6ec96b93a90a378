/** What an item of the queue is about and would change (contract §8), by its kind. */
import type { Target, WaitingItem } from '../../../../app/reads/waiting.ts';
import { proposedSource } from '../../../../domain/mirror/proposed-source.ts';
import { isFault } from '../../../../kernel/fault.ts';
import { parseJson } from '../../../../kernel/json.ts';
import { wordDiff } from '../../../../represent/word-diff.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Quote } from '../../components/quote.tsx';
import { VoteDetails } from '../../discourse-list.tsx';
import { countText } from '../../format-text.ts';
import { SourceQuote } from '../../contributed-source.tsx';
import { ExactText } from '../../parts.tsx';
import { CallForm } from '../console-page.tsx';
import type { ItemProps } from './decision-form.tsx';
import { PlaceFields } from './place.tsx';
import { truncate } from './words.ts';

export function ItemBody(props: ItemProps) {
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
      return <ContributionBody item={item} />;
    case 'entry':
      return (
        <>
          <About target={item.target} />
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
          <About target={item.target} />
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
            {isOver ? 'The lease ended' : 'Leased until'} <Ago iso={record.expires_at} />;{' '}
            {countText(result.length, 'object')} landed so far.
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

function ContributionBody({ item }: { readonly item: Extract<WaitingItem, { kind: 'contribution' }> }) {
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
          <About target={target} />
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
  return <SourceQuote source={{ ...source, quote: truncate(source.quote) }} />;
}

/** The paragraph or claim that something is said about. */
function About({ target }: { readonly target: Target | null }) {
  // Of a heading its words, without the marks of Markdown.
  return target === null ? null : (
    <Quote text={truncate(target.text.replace(/^#{1,6} /, ''))} source={target.id} />
  );
}

function Contributed({ text }: { readonly text: string }) {
  return (
    <p class="waiting-text" dir="auto">
      <ExactText text={truncate(text)} />
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
