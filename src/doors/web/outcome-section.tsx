/** “What became of it” on a receipt, and the same steps for its feed (contract §8). */
import type { Outcome, OutcomeStep } from '../../app/reads/outcome.ts';
import { links } from '../../domain/links.ts';
import type { OutcomeFeed } from '../../represent/outcome-feed.ts';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { decisionText, effectText, StatusChip } from './discuss-entry.tsx';
import { entryName } from './said-words.ts';
import { actorText } from './format-text.ts';
import { plainText, typedName, wordsOf, type Act, type Place } from './plain-words.ts';
import type { Site } from './site.ts';

export function OutcomeSection({ site, outcome }: Readonly<{ site: Site; outcome: Outcome }>) {
  const { slug, entry, steps } = outcome;
  return (
    <section class="outcome" aria-labelledby="outcome">
      <h2 id="outcome">What became of it</h2>
      <p class="outcome-now">
        <StatusChip status={entry.status} /> {entry.textChanged ? <Chip state="stale" /> : null}{' '}
        {nowText(outcome)}
      </p>
      <ol class="outcome-steps">
        {steps.map((step) => (
          <li key={step.id}>
            <p dir="auto">
              <a href={site.to.entry(slug, step.entry.id)}>{stepText(outcome, step)}</a>
              <span class="entry-time">
                <Ago iso={step.ts} />
              </span>
            </p>
            {bodyOf(step) === '' ? null : (
              <p class="entry-body" dir="auto">
                {bodyOf(step)}
              </p>
            )}
          </li>
        ))}
      </ol>
      <p class="section-note">
        This address keeps telling what becomes of it. A feed reader can{' '}
        <a href={`${site.to.receipt(entry.receipt)}/feed.xml`}>follow it</a>;{' '}
        <a href={site.to.entry(slug, entry.id)}>the {entryName(entry)}</a> stands in the discussion.
      </p>
    </section>
  );
}

/** One sentence about where things stand. */
export function nowText({ entry }: Outcome): string {
  const stale = entry.textChanged ? ' The text that it is about has changed since.' : '';
  switch (entry.status) {
    case null:
      return `It stands in the discussion and asks for no decision.${stale}`;
    case 'open':
      return `The owner has not answered it yet.${stale}`;
    case 'proposed':
      return `It waits for the decision of the owner.${stale}`;
    default:
      return `${decisionSentence(entry)}${stale}`;
  }
}

function decisionSentence({ decision, ...entry }: Outcome['entry']): string {
  if (decision === undefined) return '';
  const effect = effectText(entry, decision.effect).trimEnd();
  return `${decisionText(decision.status)} by ${actorText(decision.by)}.${effect === '' ? '' : ` ${effect}`}`;
}

/** What a step says, without its text: “Ada” objected to c2 of On bees. */
export function stepText({ slug, title, entry }: Outcome, step: OutcomeStep): string {
  switch (step.kind) {
    case 'said':
      return saidText(step.entry, { slug, title });
    case 'answered':
      return `An answer: ${saidText(step.entry, { slug, title })}`;
    case 'decided':
      return decisionSentence(entry);
    case 'changed':
      return `${entry.target} was changed: what was said is about an earlier text.`;
  }
}

const kinds = { thread: 'discourse', mirror: 'contribution', votes: 'vote' } as const;

function saidText({ from, what, target, actor, outcome, verdict }: Outcome['entry'], place: Place): string {
  const kind = kinds[from];
  const act: Act = {
    kind,
    verb: from === 'thread' ? what : from === 'mirror' ? 'contribute' : 'vote',
    target,
    detail: from === 'thread' ? (outcome ?? verdict) : what,
  };
  return `${typedName(actor)} ${plainText(wordsOf(act, place))}`;
}

/** The words of a step. */
function bodyOf(step: OutcomeStep): string {
  if (step.kind === 'decided') return step.entry.decision?.note ?? '';
  return step.kind === 'changed' ? '' : step.entry.body;
}

/** The feed of the same steps. */
export function feedOf(site: Site, inv: string, outcome: Outcome): OutcomeFeed {
  const { base, secrets } = site.service;
  const page = links.article(base, outcome.slug);
  return {
    inv,
    // Ids use the name of the log, which never changes.
    authority: secrets.signer.key.name.replace(/[:/].*$/, ''),
    title: `What became of: ${saidText(outcome.entry, outcome)}`,
    self: `${links.receipt(base, inv)}/feed.xml`,
    receipt: links.receipt(base, inv),
    items: outcome.steps.map((step) => ({
      id: step.id,
      title: stepText(outcome, step),
      text: bodyOf(step),
      ts: step.ts,
      page: `${page}/discuss/${step.entry.id}`,
    })),
  };
}
