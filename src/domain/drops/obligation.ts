/**
 * Obligations and procedures (spec §1, rule 6): words of duty, wishes stated as facts, actions ascribed to readers of drops
 * do, and conditions with their consequences. Rules of the service about itself ("slugs must match …", "when an ancestor
 * is revoked, every share below it ends") are no obligations of a reader.
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
  const instruction =
    task.exec(text) ??
    wanted.exec(text) ??
    overriding.exec(text) ??
    obligations.exec(withoutFormRules(text)) ??
    passiveWish.exec(text) ??
    directions.exec(text) ??
    people.exec(text) ??
    praised.exec(text) ??
    everyReader.exec(text) ??
    urgent.exec(text);
  if (instruction !== null) return instruction[0];
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
function isServiceRule(sentence: string): boolean {
  const match = consequent.exec(sentence);
  if (match === null) return false;
  const clause = sentence.slice(sentence.search(/[,:]/));
  return !actors.test(clause) && !/\b(?:then|again|instead|next|to [a-z]+)\b/i.test(clause);
}

/** What has to be so with a datum: its form, its size. */
const formRule =
  /\b(?:must|has to|have to|needs? to)\s+(?:not\s+)?(?:match|fit|exceed|contain|begin with|start with|end with|consist of|have|be (?:lower-?case|upper-?case|unique|empty|positive|absolute|shorter|longer|between|at (?:least|most)|below|above|within|valid|an? (?:integer|number|string|object|list|date|hash|url)|\d))(?=\W|$)/gi;

/** The text with what is demanded of data told as a fact about it. */
function withoutFormRules(text: string): string {
  return actors.test(text) || callerDeeds.test(text) ? text : text.replace(formRule, 'fits');
}

// Procedures: a condition with its consequence, in either order, or steps in sequence

const condition =
  /^(?:and |but |or |so |only |even |just )*(?:if|when|whenever|unless|once|should (?:the|a|an|any|this|that|it)|(?:were|had) (?:the|a|an|any|this|that|it)|as soon as|as long as|so long as|in case|where|in the absence|in the face|given|depending on|with (?:an? )?(?:[a-z]+ed|missing|stale|invalid)|in the event|in that case|in this case|provided|providing|assuming|supposing|otherwise|else|upon|after|before|until|while|wherever|every time|each time|the (?:moment|minute|instant|second)|failing|absent|barring|lacking|whoever|whatever|anyone who|anybody who|those who|no matter)\b[^.;]*[,:]/i;
const ifThen = /\bif\b[^.;]*\bthen\b|\b(?:if|elif|else if)\s*\(|=>|->\s*\w+|→|\belse\b/i;
const steps =
  /\bfirst\b[^.]*[,;]\s*(?:and\s+)?(?:then|next|second)\b|\bstep (?:one|two|three|\d+)\b|^(?:first|second|third|next|then|finally|lastly|afterwards?|thereafter|subsequently|later|ultimately)\s*[,:]|\bfollowed by\b[^.]*\bthen\b|,\s+(?:and\s+)?then\b/i;

/** What comes of what: a description has no consequences, whatever the verb that tells them. */
const consequence =
  /\b(?:leads?|led|leading) (?:straight |directly |on )?to (?:an? |the |another )?(?:call|objection|repair|retry|report|answer|review|edit|vote|receipt|contribution|challenge|request)s?\b|\b(?:is|are) (?:then |always |promptly )?followed by\b|\bcalls? for\b|\bcomes? (?:next|into play|instead|after that)\b|\bmeans? (?:that |another |the |an? )?[a-z]+ (?:call|is|are|goes|gets)\b|\bmeans? another\b|\b(?:triggers?|prompts?|warrants?|entails?) (?:an?|the|another)\b|\b(?:tries|attempts|minutes|seconds|hours), and (?:after that|then)\b/i;
/** A condition behind what follows from it. */
const behind =
  /\b(?:follows?|comes|goes out), (?:unless|if|when|once|as soon)\b|\b(?:re-?\w+|sent|called|read|tried|made|asked|opened) (?:again|anew|once more|afresh)\b|\b(?:whenever|in case|as soon as|every time|each time|provided that)\b/i;

export function findProcedure(text: string): string | undefined {
  const ordered = steps.exec(text);
  if (ordered !== null) return ordered[0];
  const story = consequence.exec(text) ?? behind.exec(text);
  if (story !== null) return story[0];
  for (const sentence of text.split(/(?<=[.!;])\s+/)) {
    const match = ifThen.exec(sentence) ?? (isServiceRule(sentence) ? null : condition.exec(sentence));
    if (match !== null) return match[0];
  }
  return undefined;
}
