/**
 * Web Annotations as entries of an article's discussion (contract §8, importing): each becomes the entry that a person
 * chooses, at the block that holds its words. One that has been said already is not written again. The browser and the
 * command line share it.
 */
import type { JsonObject } from '../../kernel/json.ts';
import {
  matchAnnotations,
  type MatchedAnnotation,
  type ReadAnnotation,
} from '../../represent/intake/web-annotations.ts';
import {
  refusalText,
  type CurrentArticle,
  type Discussion,
  type ImportTarget,
  type ReportLine,
} from './import-target.ts';

/** What an annotation may become. */
export const annotationChoices = {
  objection: 'Objection',
  challenge: 'Challenge',
  support: 'Support',
  question: 'Question',
  attestation: 'Nothing to add',
} as const;
export type AnnotationChoice = keyof typeof annotationChoices;

export function isAnnotationChoice(text: string): text is AnnotationChoice {
  return Object.hasOwn(annotationChoices, text);
}

export interface PlannedAnnotation extends MatchedAnnotation {
  /** As it is signed. */
  readonly actor: string;
  /** As it is written: with the quoted words, since a block may be long. */
  readonly body: string;
  /** The article has an entry with these words of this name. */
  readonly isKnown: boolean;
  /** It attested this text already. */
  readonly isAttested: boolean;
}

export function planAnnotations(
  annotations: readonly ReadAnnotation[],
  { layout, content_hash: content }: Pick<CurrentArticle, 'layout' | 'content_hash'>,
  { said }: Pick<Discussion, 'said'>,
): readonly PlannedAnnotation[] {
  const known = new Set(said.map(({ actor, body }) => keyOf(actor, body)));
  return matchAnnotations(annotations, layout.pieces).map((matched): PlannedAnnotation => {
    const { creator, exact, text } = matched;
    const actor = creator === '' ? 'annotator' : creator;
    const quoted = exact === '' ? '' : `On “${exact.replace(/\s+/g, ' ').trim().slice(0, 400)}”: `;
    // An export of this discussion holds the quoted words in its text already.
    const body = text.startsWith('On “') ? text : `${quoted}${text}`.trim();
    const key = keyOf(actor, body);
    const isKnown = text !== '' && (known.has(key) || known.has(keyOf(actor, text)));
    known.add(key);
    const isAttested = said.some((each) => each.actor === actor && each.attested === content);
    return { ...matched, actor, body, isKnown, isAttested };
  });
}

function keyOf(actor: string, body: string): string {
  return `${actor}\n${body.replace(/\s+/g, ' ').trim()}`;
}

/** Only what the annotation can be. */
export function choicesFor({ div_id: div, text }: MatchedAnnotation): readonly AnnotationChoice[] {
  return (Object.keys(annotationChoices) as AnnotationChoice[]).filter(
    (each) => each === 'attestation' || (text !== '' && (div !== undefined || each === 'question')),
  );
}

/** Why an annotation cannot become what was chosen; undefined where it can. */
export function problemWith(annotation: PlannedAnnotation, choice: AnnotationChoice): string | undefined {
  if (choice === 'attestation' ? annotation.isAttested : annotation.isKnown) return alreadySaid;
  if (choicesFor(annotation).includes(choice)) return undefined;
  if (annotation.text === '') return 'It is a highlight without words.';
  return 'No block of the article holds the quoted words.';
}

/** `choices` by the place of the annotation; undefined leaves it out. */
export async function writeAnnotations(
  target: ImportTarget,
  article: CurrentArticle,
  planned: readonly PlannedAnnotation[],
  choices: readonly (AnnotationChoice | undefined)[],
): Promise<readonly ReportLine[]> {
  const lines: ReportLine[] = [];
  for (const [i, annotation] of planned.entries()) {
    const choice = choices[i];
    const what = titleOf(annotation);
    const left = { what, isWritten: false, receipts: [] };
    const problem = choice === undefined ? undefined : problemWith(annotation, choice);
    if (choice === undefined || problem !== undefined) {
      const done = problem === alreadySaid ? 'already here' : 'left out';
      const anchored = annotation.div_id === undefined && annotation.exact !== '' ? [unanchored] : [];
      lines.push({ ...left, done, problems: problem === undefined ? anchored : [problem] });
      continue;
    }
    const call = await callFor(target, choice, annotation, article);
    if (call === undefined) {
      lines.push({ ...left, done: 'not written', problems: ['The discussion cannot be read.'] });
      continue;
    }
    const called = await target.call(call.key, call.args);
    lines.push({
      what,
      href: called.ok ? `/a/${article.slug}/discuss` : undefined,
      done: called.ok ? `written as ${annotationChoices[choice].toLowerCase()}` : 'not written',
      isWritten: called.ok,
      receipts: called.inv === undefined ? [] : [called.inv],
      problems: called.ok ? [] : [refusalText(called)],
    });
  }
  return lines;
}

const alreadySaid = 'The discussion has this already.';
const unanchored = 'No block of the article holds the quoted words.';

export function titleOf({ creator, text, exact }: ReadAnnotation): string {
  return `${creator === '' ? 'Without a name' : creator}: ${(text || exact).replace(/\s+/g, ' ').slice(0, 120)}`;
}

async function callFor(
  target: ImportTarget,
  choice: AnnotationChoice,
  { actor, body, div_id: div = '' }: PlannedAnnotation,
  { slug, content_hash, hashes }: CurrentArticle,
): Promise<{ readonly key: string; readonly args: JsonObject } | undefined> {
  if (choice === 'attestation')
    return { key: 'VOXEL_ATTEST', args: { slug, outcome: 'nothing_to_add', content_hash, actor } };
  if (choice === 'question')
    return { key: 'MIRROR_APPEND', args: { slug, claim_id: '', kind: 'question', actor, body } };
  if (choice === 'objection')
    return { key: 'OBJECTION_LOG', args: { slug: `${slug}/${div}`, objection: body, actor } };
  // Each entry moves the thread.
  const discussion = await target.discussion(slug);
  if (discussion === undefined) return undefined;
  return {
    key: 'VOXEL_CHALLENGE',
    args: {
      slug,
      expected_thread_head: discussion.thread_head,
      target_div: div,
      expected_hash: hashes.get(div) ?? '',
      stance: choice,
      body,
      actor,
    },
  };
}
