/**
 * Commands (spec §1, rule 6): an obligation, or a base form of a verb at the beginning of a clause. If the base form may
 * also be a noun, the next words decide. An unknown word is a verb if it takes an object, since English nouns do not stand
 * bare before a determiner.
 */
import { findObligation } from './obligation.ts';
import { withoutNames } from './names.ts';
import {
  commandOpeners,
  isBase,
  nonVerbs,
  objectStarters,
  verbNouns,
  verbs,
  wordsAfterVerbs,
} from './vocabulary.ts';

/** "so use it", "then the …": a command behind a conjunction that no comma sets off. */
const behindConjunction = /\b(?:so|then|now|instead|thus|therefore)\s+([a-z]+)\s+([a-z]+)\b/gi;

const finite =
  /^(?:is|are|was|were|be|has|have|had|do|does|did|can|cannot|may|might|will|would|could|[a-z]+(?:ses|zes|shes|ches|tes|ves|nds|rts|cts|nts|lds|nes|des|ies|ows|eps|gs))$/;

export function findCommand(text: string): string | undefined {
  const duty = findObligation(text);
  if (duty !== undefined) return duty;
  for (const match of text.matchAll(behindConjunction)) {
    const [, verb, object] = [...match] as [string, string, string];
    if (isBase(verb) && objectStarters.has(object.toLowerCase())) return match[0];
  }
  const opened = /^([A-Za-z]+)\s+<>/.exec(text);
  if (opened !== null && isBase(opened[1] as string)) return opened[1];
  const rest = withoutNames(text);
  return clausesOf(rest).find(isCommand) ?? insetsOf(rest).find(isCommand);
}

/** Pieces that may each begin with a verb. A label before a colon is a piece as well. */
function clausesOf(text: string): string[] {
  return text.split(/[.!;:,]\s+|[.!;:]$|\s[–—-]\s|…|\.{3}/).filter((clause) => clause.trim() !== '');
}

/** What stands in brackets or quotation marks, where it is more than a name. */
function insetsOf(text: string): string[] {
  return [...text.matchAll(/[(["“«]([^)\]"”»]{3,})[)\]"”»]/g)]
    .flatMap(([, inset]) => clausesOf(inset as string))
    .filter((inset) => /\s/.test(inset.trim()));
}

/** Words in lower case. "re-read" is the verb that it repeats; another compound ("follow-up", "keep-alive") is a noun. */
function wordsOf(clause: string): string[] {
  const list = clause.toLowerCase().match(/[a-z0-9_']+(?:-[a-z0-9_']+)*/g) ?? [];
  return list.map((word) => /^(?:re|double|cross|pre|fact|spell)-([a-z]+)$/.exec(word)?.[1] ?? word);
}

function isCommand(clause: string): boolean {
  const list = wordsOf(clause);
  let at = 0;
  while (at < list.length && isOpener(list, at)) at++;
  if (list[at] === 'do' && list[at + 1] === 'not') return true;
  if (/^(?:don't|dont)$/.test(list[at] ?? '')) return true;
  const verb = list[at];
  if (verb === undefined) return false;
  if (verb === 'no' && /[a-z]{2,}ing$/.test(list[at + 1] ?? ''))
    return !list.slice(at + 2).some((word) => finite.test(word));
  const next = list[at + 1];
  if (verbs.has(verb)) return next !== 'of' && !isFiniteThing(list, at);
  if (verbNouns.has(verb)) return isVerbHere(list, at);
  if (next === undefined) return false;
  if (!couldBeVerb(verb)) return false;
  return objectStarters.has(next) || (particles.has(next) && objectStarters.has(list[at + 2] ?? ''));
}

/** What stands behind a verb and goes with it: "kick off the …". */
const particles = new Set('off up out down over away ahead through back along on in'.split(' '));

/** No small word, no participle, adverb, plural or number. */
function couldBeVerb(word: string): boolean {
  return (
    /^[a-z]{2,}$/.test(word) &&
    !nonVerbs.has(word) &&
    !/(?:[aeiouy][a-z]*ing|[aeiouy][a-z]*[^e]ed|ly|[^su]s)$/.test(word)
  );
}

function isOpener(list: readonly string[], at: number): boolean {
  const word = list[at] as string;
  return (
    list.length > at + 1 &&
    (commandOpeners.has(word) ||
      (/[a-z]{3,}ly$/.test(word) &&
        word !== 'only' &&
        word !== 'apply' &&
        word !== 'reply' &&
        word !== 'supply' &&
        word !== 'comply'))
  );
}

/** "View counts are public": a base form before a noun and its verb names a thing. */
function isFiniteThing(list: readonly string[], at: number): boolean {
  const next = list[at + 1];
  if ((next === 'and' || next === 'or') && isBase(list[at + 2] ?? '') && finite.test(list[at + 3] ?? ''))
    return true;
  if (next === undefined || wordsAfterVerbs.has(next)) return false;
  return /^(?:is|are|was|were|has|have|can|may|will)$/.test(list[at + 2] ?? '');
}

/** Whether a word that may be a noun is a verb, by what stands behind it. */
function isVerbHere(list: readonly string[], at: number): boolean {
  const next = list[at + 1];
  if (next === undefined)
    return list.length === at + 1 && at === 0 ? commandsAlone.has(list[at] as string) : true;
  if ((next === 'and' || next === 'or') && finite.test(list[at + 3] ?? '')) return false;
  if (next === 'of' || finite.test(next) || /(?:ed|kept|made|held|cut|taken|given|sent)$/.test(next))
    return false;
  if (prepositions.has(next) && isSubject(list, at + 2)) return false;
  if (wordsAfterVerbs.has(next)) return true;
  // "Log indexes start at 0": a plural and its verb.
  if (/[a-z]{2,}s$/.test(next) && list[at + 3] !== undefined && isBase(list[at + 2] ?? '')) return false;
  // A bare noun follows: a thing if a verb of its own comes later, or if nothing but its name is there.
  const later = list.slice(at + 2);
  if (later.length === 0) return false;
  return !later.some((word) => finite.test(word) || verbs.has(word) || plainVerbs.has(word));
}

const prepositions = new Set('on in at to for by under with from over'.split(' '));

/** "Work on drafts lies outside": what follows has a verb of its own. */
function isSubject(list: readonly string[], from: number): boolean {
  const verb = list.findIndex((word, i) => i > from && finite.test(word));
  return verb > 0;
}

/** One word, and still a command. */
const commandsAlone = new Set(['stop', 'answer', 'help', 'run', 'read', 'vote', 'exit', 'quit']);

/** Verbs of descriptions, in the form that stands behind a plural. */
const plainVerbs = new Set(
  'belong carry detect lie reach name state count end last cost need differ exist stand run consist contain cover apply share'.split(
    ' ',
  ),
);
