/** What made a revision as a sentence (contract §8): who did what, on whose proposal, when, why, and the receipt. */
import type { ComponentChildren } from 'preact';
import { Actor, ActWords, ReceiptLink } from './parts.tsx';
import { typedName, wordsOf, type Act } from './plain-words.ts';
import type { Site } from './site.ts';

interface Step {
  readonly actor: string;
  readonly note?: string | null | undefined;
  readonly receipt: string | null;
  readonly contribution?: { readonly kind: string; readonly actor?: string } | null | undefined;
}

/** `children` stand between the sentence and its receipt: the time, a link. */
export function RevisionWords({
  site,
  slug,
  step: { actor, note, receipt, contribution },
  act,
  children,
}: Readonly<{ site: Site; slug: string; step: Step; act: Act; children?: ComponentChildren }>) {
  const proposer = contribution?.actor ?? '';
  return (
    <>
      <Actor site={site} actor={actor} opens /> <ActWords site={site} slug={slug} words={wordsOf(act)} />
      {proposer === '' ? null : (
        <>
          {' '}
          by <bdi>{typedName(proposer)}</bdi>
        </>
      )}
      {children}
      {receipt === null ? null : (
        <>
          {' · '}
          <ReceiptLink site={site} inv={receipt}>
            receipt
          </ReceiptLink>
        </>
      )}
      {note == null ? null : (
        <q class="reason" dir="auto">
          {note}
        </q>
      )}
    </>
  );
}
