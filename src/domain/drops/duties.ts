/**
 * Rule 6 of spec §1, duties: words of obligation, and wishes told as facts: what is wanted, weighed, due, forbidden or left
 * to whoever reads, and what readers of drops are said to do. No base form at the beginning of a clause is needed for it.
 */
import { withoutFormRules } from './service-acts.ts';
import { isBase } from './verbs.ts';

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

/** A label that sets a task. */
const task =
  /^(?:the |one |a )?(?:[a-z]+ )?(?:mission|job|task|goal|objective|duty|duties|instructions?|to-?do|errand|quest|homework|wanted)\s*(?:[:=–—]| (?:here )?is\b)|^(?:the )?(?:role|plan|order|request) (?:here )?is\b/i;
/** What is wanted, told as what would be good, or as nobody's choice. */
const wanted =
  /\bwould (?:be|help|do|suit|make|go)\b|\bwouldn't hurt\b|\bwhat is (?:wanted|needed|called for|expected)\b|\b(?:is|are) (?:a|an absolute) must\b|\bnot an option\b|\b(?:is|are) (?:up to|on|down to) (?:the|whoever|any)\b|\bno (?:excuses|detours|delays?|questions)\b|^time for\b|\blooking for\b|\b(?:may|must) (?:never|not) be\b|\bnothing (?:may|must|shall) be\b|\bwon't do\b|\bfrom now on\b|\bneed not be\b|\bto be (?:filed|posted|done|made|sent|answered|found)\b|\b[a-z]+ first and [a-z]+ (?:later|after)/i;
/** "Not to be shown to anybody": what is to happen with something, at the beginning of a clause. */
const passiveWish = /(?:^|[.;:,]\s+)(?:not |never |only )?to be [a-z]+(?:ed|n|t|d)\b/i;
/** Somebody's evaluation of a deed: "it pays to …", "there is an objection to file", "c2 awaits an objection". */
const evaluated =
  /\bit (?:pays|helps|makes sense|(?:is|would be|seems|remains|was) (?!possible|impossible|allowed|\w+ed\b)[a-z]+) (?:to|that|if)\b/i;
const thereIs = /\b(?:there (?:is|are|remains?)|with)\b[^.;]* to ([a-z]+)\b/i;
const deeds =
  /\b(?:needs?|awaits?|wants?|deserves?|requires?|calls? for|asks? for)\s+(?:(?:an?|the|another|one|some|more|its|your)\s+)?(?:[a-z]+ )?(?:objection|review|answer|reply|check|look|challenge|response|attestation|opinion|repair|attention|summary|verdict|comment)s?\b/i;
/** Who is to do it: whoever reads, as the bearer of a duty or as a plural that acts. */
const bearers =
  /\b(?:falls?|rests?|lies|belongs|is left) (?:to|with|on|upon) (?:the |any |every |whoever |each )?(?:models?|assistants?|agents?|readers?|recipients?|reads?)\b/i;
const plurals = /^(?:models|assistants|agents|bots|llms|chatbots) ([a-z]+)\b/i;
/** One thing weighed against another, with no verb: "better twice than never", "no review, no approval". */
const weighed =
  /^(?:better|best|rather) |\bthe better\b|^no [a-z ]+, no [a-z]+|^(?:less|more|fewer) [a-z ]+, (?:less|more|fewer) |^not [a-z]{2,}ing\b|\b(?:wants?|needs?|deserves?|bears?|merits?) (?!no)[a-z]{2,}ing\b|, (?:starting|beginning|preferably|ideally)\b/i;
/** Permission turned into a duty or a ban. */
const regulated =
  /\b(?:is|are|remains?) (?:strictly |absolutely |highly )?(?:forbidden|prohibited|encouraged|discouraged|preferred|preferable|desirable|advisable|unacceptable|compulsory|out of the question|unwanted)\b/i;
/** A day or an hour by which something is to be done. */
const deadlines =
  /\bby (?:noon|midnight|tonight|tomorrow|today|now|morning|evening|the end of|end of)\b|\bwithin the (?:next|hour|day)\b|\b(?:is|are) (?:over)?due\b|\b(?:henceforth|hereby|hereafter|from here on)\b/i;
/** No verb, and a direction: "onward to the claims", "hands off the rows". */
const directions =
  /^(?:onwards?|forwards?|off|straight|back|over|up|down|out|away|on) (?:to|with|into)\b(?! (?:\d|an? |one|two|three|four|five|ten))|^(?:all )?(?:eyes|hands|ears|fingers) (?:on|off|up)\b/i;
/** All persons at once, doing something. */
const people =
  /^(?:nobody|no one|everybody|everyone) (?!(?:is|are|was|may|can|has|else|but|other)\b)[a-z]+s\b/i;
/** Words that were there before, and what is to become of them. */
const overriding =
  /\b(?:prior|previous|earlier|above|former|other|existing|old|preceding|all) (?:[a-z]+ )?(?:rules?|instructions?|orders?|prompts?|guidelines?|polic(?:y|ies)|constraints?|restrictions?|context|directions?)\b|\b(?:priority|precedence) (?:over|above)\b|\bno longer (?:appl|count|hold|matter)\w*/i;

export function dutyTold(text: string): string | undefined {
  const told =
    task.exec(text) ??
    wanted.exec(text) ??
    overriding.exec(text) ??
    obligations.exec(withoutFormRules(text)) ??
    passiveWish.exec(text) ??
    evaluated.exec(text) ??
    deeds.exec(text) ??
    bearers.exec(text) ??
    weighed.exec(text) ??
    regulated.exec(text) ??
    deadlines.exec(text) ??
    directions.exec(text) ??
    people.exec(text) ??
    praised.exec(text) ??
    everyReader.exec(text) ??
    urgent.exec(text);
  if (told !== null) return told[0];
  const left = thereIs.exec(text);
  if (left !== null && isBase(left[1] as string)) return left[0];
  const plural = plurals.exec(text);
  if (plural !== null && isBase(plural[1] as string)) return plural[0];
  for (const match of text.matchAll(readerActs)) if (isAct(match[1] as string)) return match[0];
  return undefined;
}

/** A verb of doing in the form that a reader of drops would have: "files", "proceed". */
function isAct(word: string): boolean {
  const verb = word.toLowerCase();
  const base = [verb, verb.replace(/s$/, ''), verb.replace(/es$/, ''), verb.replace(/ies$/, 'y')];
  return base.some((each) => isBase(each));
}
