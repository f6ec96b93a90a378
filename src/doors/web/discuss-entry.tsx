/** One entry of a discussion (contract §8): what was said, what became of it and why, and what answers it. */
import type { ComponentChildren } from 'preact';
import type {
  ClaimNote,
  Discussion,
  DiscussionEntry,
  EntryDecision,
  EntryStatus,
} from '../../app/reads/discussion.ts';
import type { Claim } from '../../model/claim.ts';
import { surfaceMeanings } from '../../model/vocabulary.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import { Ago } from './components/ago.tsx';
import { Avatar } from './components/avatar.tsx';
import { Chip, type State } from './components/chip.tsx';
import { DiffView } from './components/diff-view.tsx';
import { SourceQuote } from './contributed-source.tsx';
import { entryName, sourceIn } from './said-words.ts';
import { Actor, ExactText, ReceiptLink } from './parts.tsx';
import type { Site } from './site.ts';

interface EntryProps {
  readonly site: Site;
  readonly slug: string;
  readonly entry: DiscussionEntry;
  readonly discussion: Pick<Discussion, 'answers' | 'state'>;
  /** On a page of several subjects. */
  readonly showTarget?: boolean;
}

export function DiscussionItem(props: EntryProps) {
  const { site, slug, entry, discussion } = props;
  const answers = discussion.answers.get(entry.id) ?? [];
  return (
    <li class="entry" id={entry.id} data-waits={entry.waits ? '' : undefined}>
      <EntryBody {...props} />
      {answers.length === 0 ? null : (
        <ol class="entry-answers" aria-label="Answers">
          {answers.map((answer) => (
            <DiscussionItem key={answer.id} site={site} slug={slug} entry={answer} discussion={discussion} />
          ))}
        </ol>
      )}
    </li>
  );
}

/** Without its answers. */
export function EntryBody({ site, slug, entry, discussion: { state }, showTarget = false }: EntryProps) {
  const claim = state.claims.get(entry.target)?.claim;
  return (
    <>
      <p class="entry-head">
        <Avatar name={entry.actor} />
        <span class="entry-by">
          “<bdi>{entry.actor}</bdi>”
        </span>
        <span class="chip chip-stance">{entryName(entry)}</span>
        <StatusChip status={entry.status} />
        {entry.textChanged ? <Chip state="stale" /> : null}
        {showTarget ? <TargetLink site={site} slug={slug} target={entry.target} /> : null}
        <a class="entry-time" href={site.to.entry(slug, entry.id)}>
          <Ago iso={entry.ts} />
        </a>
      </p>
      <Particulars entry={entry} />
      <Words entry={entry} claim={claim} />
      {entry.minimumPatch === null ? null : (
        <p class="entry-more" dir="auto">
          <b>Smallest change asked for:</b> <ExactText text={entry.minimumPatch} />
        </p>
      )}
      {entry.rationale === null ? null : (
        <p class="entry-more" dir="auto">
          <b>Why:</b> <ExactText text={entry.rationale} />
        </p>
      )}
      <Decision site={site} slug={slug} entry={entry} decision={entry.decision} />
      <p class="entry-foot">
        <a href={site.to.entry(slug, entry.id)}>Link</a> ·{' '}
        <ReceiptLink site={site} inv={entry.receipt}>
          Receipt
        </ReceiptLink>
      </p>
    </>
  );
}

/** What became of an entry, as the word, colour and shape of its state. */
export function StatusChip({ status }: { readonly status: EntryStatus }) {
  if (status === null) return null;
  return <Chip state={chips[status] ?? (status as State)} />;
}

/** Decisions on votes, in the words of the states. */
const chips: Readonly<Partial<Record<Exclude<EntryStatus, null>, State>>> = {
  ratified: 'accepted',
  deferred: 'open',
};

export function TargetLink({
  site,
  slug,
  target,
  children,
}: Readonly<{ site: Site; slug: string; target: string; children?: ComponentChildren }>) {
  if (target === '') return <a href={site.to.article(slug)}>{children ?? 'on the article'}</a>;
  return <a href={site.to.div(slug, target)}>{children ?? `on ${target}`}</a>;
}

/** Outcome, verdict, surface, and what a vote carries. */
function Particulars({ entry }: { readonly entry: DiscussionEntry }) {
  const { outcome, verdict, surface, tier, carries } = entry;
  const parts = [
    outcome === null ? '' : `Read all of it: ${outcome.replaceAll('_', ' ')}`,
    verdict === null ? '' : `Verdict: ${verdict.replaceAll('_', ' ')}`,
    surface === null ? '' : `Concerns ${surfaceMeanings[surface as keyof typeof surfaceMeanings] ?? surface}`,
    tier === null ? '' : `As tier ${tier}`,
    carries?.tier === undefined ? '' : `As tier ${carries.tier}`,
    carries?.into === undefined ? '' : `Into ${carries.into}`,
    carries?.at === undefined ? '' : `From the words “${carries.at}” on`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : (
    <p class="entry-more" dir="auto">
      {parts.join('. ')}.
    </p>
  );
}

/** What was said; a proposed wording as a difference to the claim's present one while it waits. */
function Words({ entry, claim }: Readonly<{ entry: DiscussionEntry; claim: Claim | undefined }>) {
  if (entry.body === '') return null;
  const isWording = entry.what === 'repair' || entry.what === 'compression';
  if (isWording && entry.waits && claim !== undefined)
    return <DiffView changes={wordDiff(claim.text, entry.body)} />;
  const source = entry.what === 'source' ? sourceIn(entry.body) : undefined;
  if (source !== undefined)
    return (
      <>
        <SourceQuote source={source} />
        {source.summary === undefined ? null : <p class="entry-body">{source.summary}</p>}
      </>
    );
  return (
    <p class="entry-body" dir="auto">
      <ExactText text={entry.body} />
    </p>
  );
}

/** How a decision is called at the beginning of a sentence. */
export function decisionText(status: EntryDecision['status']): string {
  return decided[status];
}

const decided: Readonly<Record<EntryDecision['status'], string>> = {
  open: 'Left open',
  proposed: 'Left open',
  settled: 'Settled',
  accepted: 'Accepted',
  rejected: 'Rejected',
  ratified: 'Ratified',
  deferred: 'Deferred, and left open,',
};

function Decision({
  site,
  slug,
  entry,
  decision,
}: Readonly<{ site: Site; slug: string; entry: DiscussionEntry; decision: EntryDecision | undefined }>) {
  if (decision === undefined) return null;
  const { effect, vote, note, receipt } = decision;
  return (
    <p class="entry-decision" dir="auto">
      <b>{decisionText(decision.status)}</b> by <Actor site={site} actor={decision.by} />,{' '}
      <Ago iso={decision.at} />
      {vote === null ? null : (
        <>
          , by <a href={site.to.entry(slug, vote)}>a ratified vote</a>
        </>
      )}
      {note === '' ? '.' : <>: “{note}”</>} {effectText(entry, effect)}
      {receipt === null ? null : (
        <ReceiptLink site={site} inv={receipt}>
          Receipt
        </ReceiptLink>
      )}
    </p>
  );
}

/** What accepting it changed. */
export function effectText(
  entry: Pick<DiscussionEntry, 'target'>,
  { version, mended, source_id, question_id }: EntryDecision['effect'],
): string {
  if (version !== undefined)
    return `${mended === true ? 'In the owner’s own wording, it' : 'It'} became version ${version} of ${entry.target}. `;
  if (source_id !== undefined) return `It became source ${source_id}. `;
  return question_id === undefined ? '' : 'It became a question of the article. ';
}

/** Why a claim was retracted, or how the owner reworded it. */
export function ClaimNoteItem({ site, note }: Readonly<{ site: Site; note: ClaimNote }>) {
  return (
    <li class="entry entry-note">
      <p class="entry-head">
        {note.act === 'retracted' ? (
          <Chip state="retracted" />
        ) : (
          <span class="chip chip-stance">reworded</span>
        )}
        <Actor site={site} actor={note.by} />
        <span class="entry-time">
          <Ago iso={note.at} />
        </span>
      </p>
      <p class="entry-body" dir="auto">
        {note.act === 'retracted'
          ? `Retracted ${note.claimId}`
          : `Reworded ${note.claimId} as version ${note.version}`}
        {note.reason === '' ? '.' : <>: “{note.reason}”</>}
      </p>
      {note.receipt === null ? null : (
        <p class="entry-foot">
          <ReceiptLink site={site} inv={note.receipt}>
            Receipt
          </ReceiptLink>
        </p>
      )}
    </li>
  );
}
