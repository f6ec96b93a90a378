/** What a comparison shows of every part (contract §8): its name, how it changed, who changed it last, and the receipt. */
import type { RevisionComparison } from '../../model/history.ts';
import { Actor, ReceiptLink } from './parts.tsx';
import { typedName } from './plain-words.ts';
import type { Site } from './site.ts';

export interface CompareView extends RevisionComparison {
  readonly title: string;
  readonly newest: number;
  readonly oldest: number;
  /** Rendered blocks by id; a block that could not be rendered has none. */
  readonly rendered: { readonly before: Rendered; readonly after: Rendered };
  readonly isSideBySide: boolean;
}

type Rendered = ReadonlyMap<string, string>;

export type Block = RevisionComparison['blocks'][number];

export type Step = RevisionComparison['steps'][number];

/** Who changed an object last, and the receipt of that. */
function Credit({
  site,
  view,
  rev,
  receipt,
}: Readonly<{ site: Site; view: CompareView; rev: number | null; receipt: string | null }>) {
  const step = view.steps.find((each) => each.rev === rev);
  if (step === undefined) return null;
  const { contribution } = step;
  return (
    <span class="aside">
      by <Actor site={site} actor={step.actor} /> in revision {step.rev}
      {contribution === undefined ? null : (
        <>
          , from {kinds[contribution.kind] ?? 'a contribution'}
          {contribution.actor === '' ? null : (
            <>
              {' '}
              by <bdi>{typedName(contribution.actor)}</bdi>
            </>
          )}
        </>
      )}
      {receipt === null ? null : (
        <>
          {' · '}
          <ReceiptLink site={site} inv={receipt}>
            receipt
          </ReceiptLink>
        </>
      )}
    </span>
  );
}

export const kinds: Readonly<Record<string, string>> = {
  repair: 'the repair',
  compression: 'the compression',
  source: 'the source',
};

export function Head({
  site,
  view,
  id,
  name,
  word,
  change,
  path = [],
}: Readonly<{
  site: Site;
  view: CompareView;
  id: string;
  name: string;
  word: string;
  change: Pick<Block, 'change' | 'rev' | 'receipt'>;
  path?: readonly string[];
}>) {
  const { slug } = view;
  // Blocks, claims and sources all have a page.
  const href = site.to.div(slug, id);
  return (
    <header class="change-head">
      <h3>
        <a href={href}>
          {name} {id}
        </a>{' '}
        <span class={`change-word change-${change.change}`}>{word}</span>
      </h3>
      {path.length === 0 ? null : (
        <p class="aside path" dir="auto">
          {path.join(' › ')}
        </p>
      )}
      <p class="credit">
        <Credit site={site} view={view} rev={change.rev} receipt={change.receipt} />
      </p>
    </header>
  );
}
