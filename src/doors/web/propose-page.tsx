/**
 * `/a/<slug>/propose` (spec §2.10, contract §8): a form to respond to a claim or an article, without a key and
 * without JavaScript. A refused form is shown again with its fields and the reasons.
 */
import type { Violation } from '../../domain/violations.ts';
import { opaqueId } from '../../kernel/ids.ts';
import type { Fault } from '../../kernel/fault.ts';
import { ClaimHead } from './claim-notes.tsx';
import type { Form } from '../http/browser-forms.ts';
import { UntrustedMark, untrustedMarkName, renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import type { contributionKinds } from '../../model/vocabulary.ts';
import type { Claim } from '../../model/claim.ts';

export interface ProposeView {
  readonly slug: string;
  readonly title: string;
  /** The claim that the contribution is about; undefined for the whole article. */
  readonly claim: Claim | undefined;
  /** The refused form. */
  readonly sent?: Form | undefined;
  readonly refusal?: Fault | undefined;
  /** The recorded contribution, and a notice about removed secrets. */
  readonly notice?: { readonly recorded: string; readonly text: string } | undefined;
}

type Kind = (typeof contributionKinds)[number];

const kinds: Readonly<Record<Kind, readonly [name: string, hint: string]>> = {
  objection: ['Objection', 'what is wrong, and what shows it'],
  question: ['Question', 'what is left open'],
  source: ['Source', 'the address of a page, and the exact words in it that bear on this'],
  repair: ['Repair', 'the claim in other words, as one sentence that can be shown wrong'],
  compression: ['Compression', 'the claim in fewer words'],
  contradiction: ['Contradiction', 'which other claim this one cannot stand beside'],
  audit: ['Audit', 'what was checked, how, and what came of it'],
};
/** Repairs and compressions replace the wording of a claim, so they need one. */
const kindsOnArticle: readonly Kind[] = ['objection', 'question', 'source', 'audit'];

export function proposePage(site: Site, view: ProposeView): string {
  const { slug, title, claim, sent } = view;
  const chosen = sent?.get('kind') ?? 'objection';
  const offered = claim === undefined ? kindsOnArticle : (Object.keys(kinds) as Kind[]);
  const markName = untrustedMarkName(slug, title, claim?.hash ?? '');
  return renderPage(
    site,
    {
      title: `Propose something about ${claim === undefined ? '' : `${claim.id} of `}${title}`,
      unlisted: true,
    },
    <article class="record propose">
      <UntrustedMark name={markName} />
      <h1>
        Propose something about {claim === undefined ? '' : `claim ${claim.id} of `}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      {claim === undefined ? null : (
        <>
          <ClaimHead claim={claim} href={site.to.claim(slug, claim.id)} />
          <blockquote class="assertion" dir="auto">
            <p>{claim.text}</p>
          </blockquote>
        </>
      )}
      <UntrustedMark name={markName} end />
      <Refusal refusal={view.refusal} />
      <ScrubbedNotice notice={view.notice} />
      <p>
        No account is needed. What is sent here is public at once, with a receipt, and is never deleted; it
        changes nothing until the owner accepts it.
      </p>
      <form method="post" action={site.to.propose(slug, '')} class="propose-form">
        <input type="hidden" name="once" value={opaqueId('form_')} />
        {claim === undefined ? null : (
          <>
            <input type="hidden" name="claim" value={claim.id} />
            <input type="hidden" name="claim_hash" value={claim.hash} />
          </>
        )}
        <fieldset>
          <legend>What it is</legend>
          {offered.map((kind) => (
            <label key={kind} class="option">
              <input type="radio" name="kind" value={kind} checked={kind === chosen} required />{' '}
              <span>
                {kinds[kind][0]} <span class="hint">{kinds[kind][1]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p>
          <label for="body">Text</label>
          <textarea id="body" name="body" rows={7} required dir="auto" value={sent?.get('body') ?? ''} />
        </p>
        <p>
          <label for="actor">Name to sign with</label>
          <input
            id="actor"
            name="actor"
            required
            maxLength={200}
            autocomplete="nickname"
            aria-describedby="actor-hint"
            dir="auto"
            value={sent?.get('actor') ?? ''}
          />
          <span class="hint" id="actor-hint">
            Any name; it is shown as typed and marked as not verified.
          </span>
        </p>
        <p>
          <button type="submit">Propose it</button>
        </p>
      </form>
      <p class="section-note">
        Programs do the same through <a href={site.to.row('MIRROR_APPEND')}>MIRROR_APPEND</a>.
      </p>
    </article>,
  );
}

function ScrubbedNotice({ notice }: Pick<ProposeView, 'notice'>) {
  if (notice === undefined) return null;
  return (
    <div class="notice" role="status">
      <p>
        <strong>
          <a href={notice.recorded}>It is recorded.</a>
        </strong>{' '}
        {notice.text}
      </p>
    </div>
  );
}

function Refusal({ refusal }: { readonly refusal: Fault | undefined }) {
  if (refusal === undefined) return null;
  const violations = (refusal.details?.['violations'] ?? []) as readonly Violation[];
  return (
    <div class="notice refusal" role="alert">
      <p>
        <strong>Nothing was recorded.</strong> {refusal.message} {violations.length > 0 ? null : refusal.fix}
      </p>
      {violations.length === 0 ? null : (
        <ul>
          {violations.map(({ code, at, message, fix }) => (
            <li key={`${code} ${at}`}>
              {message} {fix}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
