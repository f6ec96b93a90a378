/**
 * Rules for every text that a caller writes (contract §4, §5): it says something, it keeps to its length, and
 * it holds no characters that readers do not see. Only an exact quote is kept with whatever it holds.
 */
import { findDeceptive } from '../kernel/invisible-characters.ts';
import { violation, type Violation } from './violations.ts';

/** An argument as far as it could be read. */
type Text = string | null | undefined;

/** Texts of the open intake, by their arguments. `verbatim` ones are kept as they were said, unseen characters and all. */
export function intakeRules(
  texts: Readonly<Record<string, Text>>,
  charsMax: number,
  { verbatim = false } = {},
): Violation[] {
  const broken: Violation[] = [];
  for (const name of Object.keys(texts)) {
    const text = texts[name];
    broken.push(...blankRules(name, text, 'Say what is meant.'));
    if (typeof text === 'string' && text.length > charsMax && [...text].length > charsMax)
      broken.push(
        violation(
          'too_much',
          `/${name}`,
          `The ${name} is longer than ${charsMax} characters.`,
          'Shorten it, or say it in parts.',
        ),
      );
    if (!verbatim) broken.push(...invisibleCharactersIn(text, `/${name}`, name));
  }
  return broken;
}

/** Who speaks; a name that some rows require. */
export function actorRules(actor: Text): Violation[] {
  return [
    ...blankRules('actor', actor, 'Name who speaks; the name is display metadata.'),
    ...invisibleCharactersIn(actor, '/actor', 'actor'),
  ];
}

/** Whether a text shows its reader nothing: blanks, controls and letters that are drawn as blanks. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{C}\p{Z}\u115F\u1160\u2800\u3164\uFFA0]/u.test(text);
}

export function blankRules(name: string, text: Text, fix: string): Violation[] {
  return typeof text === 'string' && isBlank(text)
    ? [violation('blank', `/${name}`, `The ${name} is empty.`, fix)]
    : [];
}

/** Texts in which readers must see all that there is, by where they stand below `at`. */
export function visibleTextRules(texts: Readonly<Record<string, Text>>, at = ''): Violation[] {
  return Object.entries(texts).flatMap(([name, text]) => invisibleCharactersIn(text, `${at}/${name}`, name));
}

/** The same for the tags of an article, each named by its place among them. */
export function visibleTagRules(tags: readonly Text[] | null | undefined, at = ''): Violation[] {
  return (tags ?? []).flatMap((tag, i) => invisibleCharactersIn(tag, `${at}/tags/${i}`, 'tag'));
}

function invisibleCharactersIn(text: Text, at: string, what: string): Violation[] {
  const found = typeof text === 'string' ? findDeceptive(text) : undefined;
  if (found === undefined) return [];
  return [
    violation(
      'unseen_character',
      `${at}#${found.at}-${found.at + 1}`,
      `The ${what} holds ${found.name}, which readers do not see and which can hide or reorder what they read.`,
      'Take it out; only the exact quote of a source may hold such characters.',
    ),
  ];
}

/** Why something is taken back: a page shows it beside what is gone. */
export function reasonRules(reason: Text, fix: string): Violation[] {
  return [...blankRules('reason', reason, fix), ...visibleTextRules({ reason })];
}
