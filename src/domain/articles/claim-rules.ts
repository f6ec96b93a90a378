/**
 * The content rules for claims (spec §2.12, contract §5 "Claim") as a linter: every breach at once, each with
 * a code, a place and a fix. Errors refuse the claim; warnings travel with the accepted one.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { Tier } from './tables.ts';
import { tierWeights } from './tables.ts';

export interface Violation extends JsonObject {
  readonly code: string;
  /** JSON pointer into the payload, with a character range where one helps: `/text#0-5`. */
  readonly at: string;
  readonly message: string;
  readonly fix: string;
  readonly severity: 'error' | 'warning';
}

export interface ClaimInput {
  readonly text: string;
  readonly tier: string;
  readonly who_claims: string;
  readonly source_ids?: readonly string[] | undefined;
  readonly rationale?: string | undefined;
  readonly why_material?: string | undefined;
  readonly falsifier?: string | undefined;
  readonly materiality?: boolean | undefined;
  readonly evidence_basis?: string | undefined;
  readonly evidence_class?: string | undefined;
  readonly slot?: string | undefined;
  readonly section?: string | undefined;
  readonly source_role?: string | undefined;
  readonly model?: string | undefined;
  readonly distinct?: boolean | undefined;
  readonly comparison?: Comparison | undefined;
}

export interface Comparison {
  readonly population?: string | undefined;
  readonly axis?: string | undefined;
  readonly captured_at?: string | undefined;
  readonly selection?: string | undefined;
}

export const claimCharsMax = 280;
export const evidenceClasses = [
  'publisher_claim',
  'source_code',
  'runtime_receipt',
  'independent_test',
  'owner_observation',
  'unknown',
];
export const slots = [
  'what_it_is',
  'who_claims_what',
  'what_is_known',
  'what_is_unknown',
  'mechanism',
  'limitations',
  'disclaimer',
];

/** A full stop inside these ends no sentence. */
const abbreviation = /\b(?:e\.g|i\.e|etc|vs|cf|al|Dr|Mr|Ms|St|No|Fig|approx|ca|resp|incl|U\.S|U\.K|[A-Z])\.$/;
const pointsOutside =
  /^(?:this|that|these|those|it|they|he|she|such|here|the (?:above|latter|former|following))\b/i;
const imperative =
  /^(?:please\s+)?(?:use|avoid|take|try|consider|ensure|make sure|do|don't|never|always|remember|note|see|read|stop|start|add|remove|install|run|check|consult|ask|keep|follow)\b(?!\s+(?:of|cases?|is|are|was|were|has|have)\b)/i;
const advice =
  /\b(?:you|we|one|patients?|users?|people|readers?|everyone)\s+(?:should|must|ought to|need to|have to)\b/i;
const medicalAdvice =
  /\b(?:is|are)\s+recommended\s+(?:for|to)\s+(?:patients?|people|adults|children|women|men)\b|\b(?:ask|consult|see)\s+(?:your|a)\s+(?:doctor|physician)\b/i;
/** A number with a unit of mass, volume or activity per intake. Case matters: "5G" is no dose. */
const dose = /\b\d+(?:[.,]\d+)?\s?(?:mg|mcg|µg|μg|ug|IU|mL|ml|mg\/kg|g\/day|g\/kg)\b(?!\/[dm]?[lL]\b)/;
const decorative =
  /\b(?:amazing|incredible|groundbreaking|revolutionary|game-changing|stunning|world-class|cutting-edge|robust|seamless|unparalleled|remarkable|delve|tapestry|vibrant|leverag\w+)\b/i;
const hedge =
  /\b(?:arguably|perhaps|possibly|somewhat|it seems|seems to|might|sort of|kind of|could potentially)\b/i;
const compound =
  /;\s|\b(?:and|but)\s+(?:it|they|he|she|this|that|the\s+\w+)\s+(?:is|are|was|were|has|have|does|do|can|will|did)\b|,\s+(?:and|but|while|whereas)\s+(?:it|they|he|she)\b/i;

/** A second subject with a verb of its own. A word that may be a noun counts only where an object follows it. */
const secondClause =
  /\b(?:and|but|while|whereas)\s+(?:the|an?|its|their|each|every|no)\s+(?:[\w-]+\s+){1,2}?(?:(?:keeps|holds|gives|takes|makes|contains|becomes|sends|receives|requires|refuses|stays|remains|goes|comes|gets|says)|(?:needs|uses|reads|writes|returns)\s+(?:the|an?|its|their|each|every|no)|stores\s+(?!of|in|for|at|on|from|with|to|by|and|or|that|which|is|are|was|were)\w+)\b/i;

/** `sourceIds` are the ids in the article's ledger. */
export function lintClaim(claim: ClaimInput, sourceIds: ReadonlySet<string | number>): Violation[] {
  const found: Violation[] = [];
  const say = (
    code: string,
    at: string,
    message: string,
    fix: string,
    severity: Violation['severity'] = 'error',
  ): void => {
    found.push({ code, at, message, fix, severity });
  };
  const match = (
    pattern: RegExp,
    code: string,
    message: string,
    fix: string,
    severity: Violation['severity'] = 'error',
  ): void => {
    const hit = pattern.exec(claim.text);
    if (hit !== null) say(code, `/text#${hit.index}-${hit.index + hit[0].length}`, message, fix, severity);
  };
  const text = claim.text.trim();
  if (text === '') say('empty', '/text', 'The claim has no text.', 'Write one falsifiable assertion.');
  const chars = [...text].length;
  if (chars > claimCharsMax)
    say(
      'too_long',
      `/text#${claimCharsMax}-${chars}`,
      `The claim has ${chars} characters; at most ${claimCharsMax} are allowed.`,
      'Keep one assertion and post the rest as further claims.',
    );
  if (/[?？](?:\s|$)/.test(text))
    say('question', '/text', 'A question asserts nothing.', 'State the answer that could be shown wrong.');
  if (sentenceEnds(text) > 1)
    say(
      'several_sentences',
      '/text',
      'The claim has several sentences.',
      'Post each sentence as its own claim.',
    );
  match(
    compound.test(claim.text) ? compound : secondClause,
    'compound',
    'The claim joins two assertions.',
    'Post each as its own claim.',
  );
  match(
    pointsOutside,
    'points_outside',
    'The opening points outside the claim.',
    'Name the thing that is meant.',
  );
  match(
    imperative,
    'imperative',
    'The claim gives an instruction.',
    'State what is the case instead of what to do.',
  );
  match(advice, 'advice', 'The claim gives advice.', 'State the observation that the advice rests on.');
  match(
    medicalAdvice,
    'medical_advice',
    'The claim gives medical advice.',
    'State the finding, without a recommendation.',
  );
  match(dose, 'dose', 'The claim names a dose.', "Leave the dose to the source's exact quote.");
  match(
    decorative,
    'decorative',
    'A decorative word adds no assertion.',
    'Use literal nouns and verbs.',
    'warning',
  );
  match(
    hedge,
    'hedge',
    'A hedge makes the claim hard to falsify.',
    'State the claim and choose the tier that fits its evidence.',
    'warning',
  );
  if (!Object.hasOwn(tierWeights, claim.tier))
    say(
      'unknown_tier',
      '/tier',
      `"${claim.tier}" is no tier.`,
      `Use one of ${Object.keys(tierWeights).join(', ')}.`,
    );
  if (claim.who_claims.trim() === '')
    say('missing_who_claims', '/who_claims', 'Nobody is named as claiming it.', 'Name who makes the claim.');
  for (const [i, id] of (claim.source_ids ?? []).entries()) {
    if (!sourceIds.has(id))
      say(
        'dangling_source',
        `/source_ids/${i}`,
        `The article has no source ${id}.`,
        'Append the source first and cite its id.',
      );
  }
  if ((claim.source_ids ?? []).length === 0 && (claim.why_material ?? '').trim() === '') {
    say(
      'missing_why_material',
      '/why_material',
      'An unsourced claim must say why it matters.',
      'Cite source_ids, or fill why_material.',
    );
  }
  if (claim.slot !== undefined && !slots.includes(claim.slot))
    say(
      'unknown_slot',
      '/slot',
      `"${claim.slot}" is no constitution slot.`,
      `Use one of ${slots.join(', ')}.`,
    );
  if (claim.slot === 'mechanism' && (claim.tier as Tier) !== 'mechanistic')
    say(
      'mechanism_tier',
      '/slot',
      'The slot mechanism takes mechanistic claims only.',
      'Use tier mechanistic, or another slot.',
    );
  if (claim.evidence_class !== undefined && !evidenceClasses.includes(claim.evidence_class)) {
    say(
      'unknown_evidence_class',
      '/evidence_class',
      `"${claim.evidence_class}" is no evidence class.`,
      `Use one of ${evidenceClasses.join(', ')}.`,
    );
  }
  if (claim.comparison !== undefined) {
    for (const name of ['population', 'axis', 'captured_at', 'selection'] as const) {
      if ((claim.comparison[name] ?? '').trim() === '')
        say(
          'incomplete_comparison',
          `/comparison/${name}`,
          `A comparison must name its ${name}.`,
          `Fill comparison.${name}.`,
        );
    }
    const { captured_at: captured = '' } = claim.comparison;
    if (captured.trim() !== '' && !isCaptureTime(captured))
      say(
        'incomplete_comparison',
        '/comparison/captured_at',
        'A comparison must say when it was captured, and captured_at is no time.',
        captureTimeFix,
      );
  }
  return found;
}

/** A day, or a moment of one, in ISO 8601. */
export function isCaptureTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}

export const captureTimeFix = 'Use ISO 8601, such as 2026-03-01T12:00:00Z.';

function sentenceEnds(text: string): number {
  let ends = 0;
  for (const hit of text.matchAll(/[.!?。！？]+(?=\s|$|["')\]])/g)) {
    const upTo = text.slice(0, hit.index + hit[0].length);
    if (hit.index + hit[0].length < text.length && abbreviation.test(upTo)) continue;
    ends++;
  }
  if (ends > 0 && !/[.!?。！？]["')\]]*$/.test(text)) ends++;
  return ends;
}
