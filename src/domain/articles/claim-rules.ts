/**
 * The content rules for claims (spec §2.12, contract §5 "Claim") as a linter: every breach at once, each with
 * a code, a place and a fix. Errors refuse the claim; warnings travel with the accepted one.
 */
import { isBlank, visibleTextRules } from '../text-rules.ts';
import { violation, type PartialInput, type Violation } from '../violations.ts';
import { beginsInstruction } from './clauses.ts';
import { joinedAssertions } from './compound.ts';
import { medicalRules } from './medical-rules.ts';
import { isQuestion, sentencesIn } from './sentences.ts';
import { ClaimInput, type Comparison } from '../../model/claim.ts';
import { isOneOf, evidenceClasses, slots, tierWeights } from '../../model/vocabulary.ts';

export const claimCharsMax = 280;
/** UTF-16 code units. What is longer is refused for its length, and its sentences are not looked at. */
const readMax = 2000;

const pointsOutside =
  /^(?:this|that|these|those|it|they|he|she|such|here|the (?:above|latter|former|following))\b/i;
const advice =
  /\b(?:(?:you|we)\s+(?:should|must|ought to|need to|have to)|(?:one|patients?|users?|people|readers?|everyone)\s+(?:(?:should|ought to)\b|(?:must|needs? to|ha(?:ve|s) to)\s+(?!(?:be|have|hold|own|possess)\b)))/i;
/** Words that compare two things; "rather than" and "more than 5" do not. */
const comparing =
  /\b(?:(?!rather|other)\w{2,20}er|more|less|fewer|better|worse)\s+(?:[\w-]+\s+){0,4}?than\s+(?!\d)|\b(?:compared (?:with|to)|outperforms?|versus)\b/i;
const decorative =
  /\b(?:amazing|incredible|groundbreaking|revolutionary|game-changing|stunning|world-class|cutting-edge|robust|seamless|unparalleled|remarkable|delve|tapestry|vibrant|leverag\w+)\b/i;
const hedge =
  /\b(?:arguably|perhaps|possibly|somewhat|it seems|seems to|might|sort of|kind of|could potentially)\b/i;

/** `sources` are those of the article's ledger by id; without them, nothing is said of what it cites. */
export function lintClaim(
  claim: PartialInput<ClaimInput>,
  sources: { has(id: string): boolean } | undefined,
): Violation[] {
  const found: Violation[] = typeof claim.text === 'string' ? lintText(claim.text) : [];
  const texts = textsOf(claim);
  found.push(...visibleTextRules(texts), ...medicalRules(texts), ...lintEvidence(claim, sources));
  return found;
}

/** The assertion by itself. */
function lintText(given: string): Violation[] {
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
    const hit = pattern.exec(given);
    if (hit !== null) say(code, `/text#${hit.index}-${hit.index + hit[0].length}`, message, fix, severity);
  };
  const text = given.trim();
  if (text === '') say('empty', '/text', 'The claim has no text.', 'Write one falsifiable assertion.');
  else if (!/\p{L}/u.test(text))
    say('no_words', '/text', 'The claim holds no letter.', 'Write one falsifiable assertion in words.');
  const chars = [...text].length;
  if (chars > claimCharsMax)
    say(
      'too_long',
      `/text#${claimCharsMax}-${chars}`,
      `The claim has ${chars} characters; at most ${claimCharsMax} are allowed.`,
      'Keep one assertion and post the rest as further claims.',
    );
  const sentences = text.length > readMax ? [] : sentencesIn(text);
  if (sentences.some(isQuestion))
    say('question', '/text', 'A question asserts nothing.', 'State the answer that could be shown wrong.');
  if (sentences.length > 1)
    say(
      'several_sentences',
      '/text',
      'The claim has several sentences.',
      'Post each sentence as its own claim.',
    );
  const joined = joinedAssertions(given);
  if (joined !== undefined) {
    const each =
      joined.split === undefined ? '' : `: ${joined.split.map((part) => `"${part}"`).join(' and ')}`;
    say(
      joined.sure ? 'compound' : 'compound_suspected',
      `/text#${joined.start}-${joined.end}`,
      joined.sure ? 'The claim joins two assertions.' : 'The claim may join two assertions.',
      joined.sure ? `Post each as its own claim${each}` : `If so, post each as its own claim${each}`,
      joined.sure ? 'error' : 'warning',
    );
  }
  match(
    pointsOutside,
    'points_outside',
    'The opening points outside the claim.',
    'Name the thing that is meant.',
  );
  if (beginsInstruction(text))
    match(
      /\S+/,
      'imperative',
      'The claim gives an instruction.',
      'State what is the case instead of what to do.',
    );
  match(advice, 'advice', 'The claim gives advice.', 'State the observation that the advice rests on.');
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
  return found;
}

/** Arguments that are words of a vocabulary, which `lintEvidence` checks; every other text is shown to readers. */
const vocabularyMembers: ReadonlySet<string> = new Set(['tier', 'slot', 'evidence_class']);
const textMembers = Object.entries(ClaimInput.properties).flatMap(([name, schema]) =>
  'type' in schema && schema.type === 'string' && !vocabularyMembers.has(name) ? [name] : [],
) as readonly Exclude<keyof ClaimInput, 'source_ids' | 'materiality' | 'distinct' | 'comparison'>[];

/** What readers are shown of a claim as its poster wrote it. */
function textsOf(claim: PartialInput<ClaimInput>): Readonly<Record<string, string | null | undefined>> {
  return Object.fromEntries(textMembers.map((name) => [name, claim[name]]));
}

/** Tier, evidence and place of a claim. Unreadable members (null) are reported elsewhere and skipped here. */
function lintEvidence(
  claim: PartialInput<ClaimInput>,
  sources: { has(id: string): boolean } | undefined,
): Violation[] {
  const found: Violation[] = [];
  const say = (code: string, at: string, message: string, fix: string): void => {
    found.push(violation(code, at, message, fix));
  };
  const { tier, who_claims: who, source_ids: cited, slot, evidence_class: evidence } = claim;
  if (typeof tier === 'string' && !Object.hasOwn(tierWeights, tier))
    say(
      'unknown_tier',
      '/tier',
      `"${tier}" is no tier.`,
      `Use one of ${Object.keys(tierWeights).join(', ')}.`,
    );
  if (typeof who === 'string' && isBlank(who))
    say('missing_who_claims', '/who_claims', 'Nobody is named as claiming it.', 'Name who makes the claim.');
  for (const [i, id] of (cited ?? []).entries()) {
    if (typeof id === 'string' && sources?.has(id) === false)
      say(
        'dangling_source',
        `/source_ids/${i}`,
        `The article has no source ${id}.`,
        'Append the source first and cite its id.',
      );
  }
  if (
    cited !== null &&
    (cited ?? []).length === 0 &&
    claim.why_material !== null &&
    (claim.why_material ?? '').trim() === ''
  ) {
    say(
      'missing_why_material',
      '/why_material',
      'An unsourced claim must say why it matters.',
      'Cite source_ids, or fill why_material.',
    );
  }
  if (typeof slot === 'string' && !isOneOf(slots, slot))
    say('unknown_slot', '/slot', `"${slot}" is no constitution slot.`, `Use one of ${slots.join(', ')}.`);
  if (slot === 'mechanism' && typeof tier === 'string' && tier !== 'mechanistic')
    say(
      'mechanism_tier',
      '/slot',
      'The slot mechanism takes mechanistic claims only.',
      'Use tier mechanistic, or another slot.',
    );
  if (typeof evidence === 'string' && !isOneOf(evidenceClasses, evidence)) {
    say(
      'unknown_evidence_class',
      '/evidence_class',
      `"${evidence}" is no evidence class.`,
      `Use one of ${evidenceClasses.join(', ')}.`,
    );
  }
  const compared = typeof claim.text === 'string' ? comparing.exec(claim.text) : null;
  // A claim of the system tier states how something is designed; it needs no measurement.
  if (claim.comparison === undefined && tier !== 'system' && compared !== null)
    found.push({
      ...violation(
        'comparison_unstated',
        `/text#${compared.index}-${compared.index + compared[0].length}`,
        'The claim compares, and states neither population, axis, capture time nor selection.',
        'Fill comparison with population, axis, captured_at and selection.',
      ),
      severity: 'warning',
    });
  if (claim.comparison == null) return found;
  return [
    ...found,
    ...lintComparison(claim.comparison),
    ...visibleTextRules(Object.fromEntries(Object.entries(claim.comparison)), '/comparison'),
    ...medicalRules(Object.fromEntries(Object.entries(claim.comparison)), '/comparison'),
  ];
}

function lintComparison(comparison: PartialInput<Comparison>): Violation[] {
  const found = (['population', 'axis', 'captured_at', 'selection'] as const).flatMap((name) =>
    comparison[name] !== null && (comparison[name] ?? '').trim() === ''
      ? [
          violation(
            'incomplete_comparison',
            `/comparison/${name}`,
            `A comparison must name its ${name}.`,
            `Fill comparison.${name}.`,
          ),
        ]
      : [],
  );
  const captured = comparison.captured_at ?? '';
  if (captured.trim() !== '' && !isCaptureTime(captured))
    found.push(
      violation(
        'incomplete_comparison',
        '/comparison/captured_at',
        'A comparison must say when it was captured, and captured_at is no time.',
        captureTimeFix,
      ),
    );
  return found;
}

/** A day, or a moment of one, in ISO 8601. */
export function isCaptureTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,18}(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

export const captureTimeFix = 'Use ISO 8601, such as 2026-03-01T12:00:00Z.';
