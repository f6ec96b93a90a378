/**
 * Rule 6 of spec §1, commands: a base form at the beginning of a clause, words of obligation anywhere, and wishes told
 * as facts about whoever reads. Where a base form may be a noun, what stands behind it decides; a word that no list has
 * is a verb where it takes an object, since nouns of English do not stand bare before a determiner.
 */
import { behindVerbs, notVerbs, openers, takenByVerbs } from './closed-classes.ts';
import { verbsAndNouns, verbsOnly } from './verbs.ts';

const obligations =
  /\b(?:must|shall|should|ought to|(?:has|have|had|needs?|wants?) to|(?:is|are) to [a-z]+|(?:is|are|be) (?:strongly )?(?:expected|required|supposed|asked|told|urged|invited|encouraged|recommended|advised|requested|instructed|obliged|supposed|meant|bound) to|it is (?:recommended|advised|best|time|wise|necessary|important|imperative|essential|mandatory|better)\b|(?:next|first|last|final|only) (?:step|action|task|move) (?:is|are)|had better|best to|time to|feel free|mandatory|imperative|obligatory|please|kindly|required\b(?!_)|(?:is|are|be) (?:necessary|needed|appreciated|expected|advised|recommended)|gets? [a-z]+ed|not acceptable|up to the (?:model|agent|assistant|reader))\b/i;

/** What somebody ought to do, told as what a good one does or what is done. */
const praised =
  /\b(?:good|helpful|careful|smart|wise|responsible|capable|diligent|sensible|thoughtful|competent|proper|ideal|well-behaved)\s+(?:models?|assistants?|agents?|readers?|callers?|bots?|ai)\b|\b(?:expected|right|correct|proper|intended|natural|best|better|sensible|logical|obvious|desired|wanted|appropriate|ideal|wise)\s+(?:next\s+|first\s+|only\s+)?(?:reply|response|answer|step|action|move|behaviou?r|course|thing|choice|reaction|start|way)\b/i;
/** A duty laid on all who read, told as what they do. */
const everyReader =
  /\b(?:everyone|everybody|anyone|anybody|whoever|all|those)\s+(?:who|that|reading|holding|receiving)\b/i;
/** A reader of drops doing something: what it may or has is a description, what it does is a wish. */
const readerActs =
  /\b(?:the|an?|any|every|each|this|no|most|all|other|good)\s+(?:[a-z]+\s+)?(?:models?|assistants?|agents?|llms?|chatbots?|bots?|ai|recipients?)\s+(?:(?:then|now|first|also|always|never|simply|just|[a-z]+ly)\s+)?([a-z]+)\b/gi;
const urgent =
  /\b(?:asap|right away|without (?:further |any )?(?:delay|hesitation|ado)|before anything else|no later than|urgent(?:ly)?|hurry|top priority|under no circumstances|at all costs|no exceptions?|worth [a-z]+ing|up next)\b/i;
/** "so use it", "then the …": a command behind a conjunction that no comma sets off. */
const behindConjunction = /\b(?:so|then|now|instead|thus|therefore)\s+([a-z]+)\s+([a-z]+)\b/gi;

const finite =
  /^(?:is|are|was|were|be|has|have|had|do|does|did|can|cannot|may|might|will|would|could|[a-z]+(?:ses|zes|shes|ches|tes|ves|nds|rts|cts|nts|lds|nes|des|ies|ows|eps|gs))$/;

/** A label that sets a task. */
const task =
  /^(?:the |one |a )?(?:[a-z]+ )?(?:mission|job|task|goal|objective|duty|duties|instructions?|to-?do|errand|quest|homework|wanted)\s*(?:[:=–—]| (?:here )?is\b)|^(?:the )?(?:role|plan|order|request) (?:here )?is\b/i;
/** What is wanted, told as what would be good, or as nobody's choice. */
const wanted =
  /\bwould (?:be|help|do|suit|make|go)\b|\bwouldn't hurt\b|\bwhat is (?:wanted|needed|called for|expected)\b|\b(?:is|are) (?:a|an absolute) must\b|\bnot an option\b|\b(?:is|are) (?:up to|on|down to) (?:the|whoever|any)\b|\bno (?:excuses|detours|delays?|questions)\b|^time for\b|\blooking for\b|\b(?:may|must) (?:never|not) be\b|\bnothing (?:may|must|shall) be\b|\bwon't do\b|\bfrom now on\b|\bneed not be\b|\bto be (?:filed|posted|done|made|sent|answered|found)\b|\b[a-z]+ first and [a-z]+ (?:later|after)/i;
/** Words that were there before, and what is to become of them. */
const overriding =
  /\b(?:prior|previous|earlier|above|former|other|existing|old|preceding|all) (?:[a-z]+ )?(?:rules?|instructions?|orders?|prompts?|guidelines?|polic(?:y|ies)|constraints?|restrictions?|context|directions?)\b|\b(?:priority|precedence) (?:over|above)\b|\bno longer (?:appl|count|hold|matter)\w*/i;

export function commanding(text: string): string | undefined {
  const told =
    task.exec(text) ??
    wanted.exec(text) ??
    overriding.exec(text) ??
    obligations.exec(text) ??
    praised.exec(text) ??
    everyReader.exec(text) ??
    urgent.exec(text);
  if (told !== null) return told[0];
  for (const match of text.matchAll(readerActs)) if (isAct(match[1] as string)) return match[0];
  for (const match of text.matchAll(behindConjunction)) {
    const [, verb, object] = match as unknown as [string, string, string];
    if (isBase(verb) && takenByVerbs.has(object.toLowerCase())) return match[0];
  }
  return clausesOf(text).find(isCommand) ?? insetsOf(text).find(isCommand);
}

/** A verb of doing in the form that a reader of drops would have: "files", "proceed". */
function isAct(word: string): boolean {
  const verb = word.toLowerCase();
  const base = [verb, verb.replace(/s$/, ''), verb.replace(/es$/, ''), verb.replace(/ies$/, 'y')];
  return base.some((each) => isBase(each));
}

function isBase(word: string): boolean {
  const verb = word.toLowerCase();
  return (verbsOnly.has(verb) || verbsAndNouns.has(verb)) && verb !== 'have' && verb !== 'need';
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

function isCommand(clause: string): boolean {
  const list = clause.toLowerCase().match(/[a-z0-9_']+/g) ?? [];
  let at = 0;
  while (at < list.length && isOpener(list, at)) at++;
  if (list[at] === 'do' && list[at + 1] === 'not') return true;
  if (/^(?:don't|dont)$/.test(list[at] ?? '')) return true;
  const verb = list[at];
  if (verb === undefined) return false;
  if (verb === 'be') return list.length > at + 1;
  if (verb === 'no' && /[a-z]{2,}ing$/.test(list[at + 1] ?? ''))
    return !list.slice(at + 2).some((word) => finite.test(word));
  // Keys of rows are names, whatever English word they contain.
  if (verb.includes('_')) return false;
  const next = list[at + 1];
  if (verbsOnly.has(verb)) return next !== 'of' && !isFiniteThing(list, at);
  if (verbsAndNouns.has(verb)) return isVerbHere(list, at);
  if (next === undefined) return false;
  // A verb that no list has is told by its ending and by what stands behind it, or by its object.
  if (/(?:[a-z]{3,}(?:ise|ize|ify|ate))$/.test(verb)) return behindVerbs.has(next);
  if (!couldBeVerb(verb)) return false;
  return takenByVerbs.has(next) || (particles.has(next) && takenByVerbs.has(list[at + 2] ?? ''));
}

/** What stands behind a verb and goes with it: "kick off the …". */
const particles = new Set('off up out down over away ahead through back along on in'.split(' '));

/** No small word, no participle, adverb, plural or number. */
function couldBeVerb(word: string): boolean {
  return (
    /^[a-z]{2,}$/.test(word) &&
    !notVerbs.has(word) &&
    !/(?:[aeiouy][a-z]*ing|[aeiouy][a-z]*[^e]ed|ly|[^su]s)$/.test(word)
  );
}

function isOpener(list: readonly string[], at: number): boolean {
  const word = list[at] as string;
  return (
    list.length > at + 1 &&
    (openers.has(word) ||
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
  if (next === undefined || behindVerbs.has(next) || isGerund(next)) return false;
  return /^(?:is|are|was|were|has|have|can|may|will)$/.test(list[at + 2] ?? '');
}

/** Whether a word that may be a noun is a verb, by what stands behind it. */
function isVerbHere(list: readonly string[], at: number): boolean {
  const next = list[at + 1];
  if (next === undefined)
    return list.length === at + 1 && at === 0 ? commandsAlone.has(list[at] as string) : true;
  // "Lock state of …", and base forms that are the subject together: "edit and move are …".
  if (list[at + 2] === 'of' && !behindVerbs.has(next)) return false;
  if ((next === 'and' || next === 'or') && finite.test(list[at + 3] ?? '')) return false;
  if (next === 'of' || finite.test(next) || /(?:ed|kept|made|held|cut|taken|given|sent)$/.test(next))
    return false;
  if (prepositions.has(next) && isSubject(list, at + 2)) return false;
  if (behindVerbs.has(next) || isGerund(next) || /^\d+$/.test(next)) return true;
  // A bare noun follows: a thing if a verb of its own comes later, or if nothing but its name is there.
  const later = list.slice(at + 2);
  if (later.length === 0) return false;
  return !later.some((word) => finite.test(word) || verbsOnly.has(word) || plainVerbs.has(word));
}

const prepositions = new Set('on in at to for by under with from over'.split(' '));
const relatives = new Set('that which what who where how whatever whichever'.split(' '));

/** "Work on drafts lies outside": whatever follows has a verb of its own, and no clause that could own it. */
function isSubject(list: readonly string[], from: number): boolean {
  const verb = list.findIndex((word, i) => i > from && finite.test(word));
  return verb > 0 && !list.slice(from, verb).some((word) => relatives.has(word));
}

/** One word, and still a command. */
const commandsAlone = new Set(['stop', 'answer', 'help', 'run', 'read', 'vote', 'exit', 'quit']);

/** Verbs of descriptions, in the form that stands behind a plural. */
const plainVerbs = new Set(
  'belong carry detect lie reach name state count end last cost need differ exist stand run consist contain cover apply share'.split(
    ' ',
  ),
);

function isGerund(word: string): boolean {
  return /[a-z]{2,}ing$/.test(word) && word !== 'thing' && word !== 'string';
}
