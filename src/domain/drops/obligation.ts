/**
 * Obligations (spec §1, rule 6): words of duty, and wishes stated as facts: what is wanted, due, forbidden or left to the
 * reader, and what readers of drops are said to do. Rules of the service about itself ("slugs must match …", "when an
 * ancestor is revoked, every share below it ends") are no obligations of a reader.
 */
import { isBase } from './vocabulary.ts';

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

export function findObligation(text: string): string | undefined {
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

// Rules that the service applies by itself

const actors =
  /\b(?:models?|assistants?|agents?|readers?|callers?|users?|bots?|llms?|ai|recipients?|holders?|somebody|someone|everybody|everyone|anyone|one)\b/i;
/** What a reader would make or do, under whatever verb. */
const callerDeeds =
  /\b(?:repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|reports?|retr(?:y|ies)|repeats?|objections?|reviews?|steps?|actions?|calls? to|requests? to|confirmations?|apolog(?:y|ies)|chat|conversations?)\b/i;
const byServer =
  'refused|denied|rejected|recorded|answered|counted|kept|returned|closed|listed|stored|shown|charged|ignored|hidden|revoked|expired|spent|withheld';
const stateAdjectives =
  'valid|invalid|void|open|closed|free|final|empty|unlimited|private|public|read-only|same|first';
const stativeVerbs =
  'cannot|ends?|expires?|lapses?|stays?|remains?|costs?|counts?|lies?|stands?|has|have|holds?';

/** A condition, then a thing and what it then is. */
const consequent = new RegExp(
  String.raw`^[^,:]*[,:]\s*((?:(?!(?:is|are|${stativeVerbs})\b)[\w'-]+\s+){1,6})(?:(?:${stativeVerbs})\b|(?:is|are)\s+(?:not\s+|still\s+|also\s+)?(?:(?:${byServer})\b|\d|[a-z]+_[a-z_]+\b|(?:an? |the )?(?:${stateAdjectives})\b))`,
  'i',
);

/** Whether a conditional sentence tells what the service does, and nothing that somebody does. */
export function isServiceRule(sentence: string): boolean {
  const match = consequent.exec(sentence);
  if (match === null) return false;
  const told = sentence.slice(sentence.search(/[,:]/));
  return (
    !actors.test(told) && !callerDeeds.test(told) && !/\b(?:then|again|instead|next|to [a-z]+)\b/i.test(told)
  );
}

/** What has to be so with a datum: its form, its size. */
const formRule =
  /\b(?:must|has to|have to|needs? to)\s+(?:not\s+)?(?:match|fit|exceed|contain|begin with|start with|end with|consist of|have|be (?:lower-?case|upper-?case|unique|empty|positive|absolute|shorter|longer|between|at (?:least|most)|below|above|within|valid|an? (?:integer|number|string|object|list|date|hash|url)|\d))(?=\W|$)/gi;

/** "slug (required)": what a field is. */
const formMark = /(?<=[:(]\s?)(?:required|mandatory)(?=\s*[).,;]|\s*$)/gi;

/** The text with what is demanded of data told as a fact about it. */
export function withoutFormRules(text: string): string {
  return actors.test(text) || callerDeeds.test(text) || /\banswers?\b/i.test(text)
    ? text
    : text.replace(formRule, 'fits').replace(formMark, 'so');
}
