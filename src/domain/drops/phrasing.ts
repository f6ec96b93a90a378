/**
 * How a line of a drop speaks (spec §1, rules 2 and 6): whether it addresses somebody, commands, scripts
 * behaviour or protests its innocence. It judges grammar and word classes; where a word may be noun or verb,
 * what follows decides. In doubt a line is refused: a drop can always be worded as a description.
 */
import { verbsAndNouns, verbsOnly } from './verbs.ts';

export type PhrasingRule = '2' | '6b' | '6c' | '6d';

export interface Phrasing {
  readonly rule: PhrasingRule;
  readonly message: string;
  /** The words that gave it away. */
  readonly excerpt: string;
}

/** A record has no longer lines; one that could hide a script behind its length is not read at all. */
const lineCharsMax = 2000;

export function phrasingOf(line: string): Phrasing[] {
  if (line.length > lineCharsMax)
    return [
      {
        rule: '6b',
        message: `The line has more than ${lineCharsMax} characters.`,
        excerpt: line.slice(0, 80),
      },
    ];
  const text = plain(line);
  if (text === '') return [];
  const found: Phrasing[] = [];
  const say = (rule: PhrasingRule, message: string, excerpt: string | undefined): void => {
    if (excerpt !== undefined) found.push({ rule, message, excerpt: excerpt.trim().slice(0, 80) });
  };
  say('2', 'The line addresses somebody or speaks as somebody.', addressed(text));
  say('6b', 'The line scripts behaviour: a condition, then what follows.', scripted(text));
  say('6c', 'The line defends itself against a suspicion.', defensive(text));
  say('6d', 'The line commands.', commanding(text));
  return found;
}

/** Without addresses, tokens, bullets and look-alike characters. */
function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/\bsh\.[A-Za-z0-9_-]{20,}/g, ' ')
    .replace(/^(?:[\s>*+•–—#-]+|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s)+/u, '')
    .trim();
}

// Rule 2

const persons =
  /\b(?:you|your|yours|yourself|yourselves|thou|thee|thy|i|i'm|me|my|mine|myself|we|us|our|ours|ourselves|let's)\b/i;
const greetings =
  /^(?:dear|hello|hi|hey|greetings|attention|welcome|note to|to the|to all|to any|for the attention)\b/i;
const addressees =
  /(?:^|,\s*|\b(?:oh|ok|okay)\s+)(?:model|models|assistant|assistants|agent|agents|ai|llm|bot|chatbot|reader|friend|claude|gpt|chatgpt|gemini|copilot)\s*[,:!]/i;

function addressed(text: string): string | undefined {
  return (
    persons.exec(text)?.[0] ??
    greetings.exec(text)?.[0] ??
    addressees.exec(text)?.[0] ??
    /[^?]{0,40}\?(?=\s|$)/.exec(text)?.[0]
  );
}

// Rule 6: scripts

const condition =
  /^(?:and |but |or |so |only |even )*(?:if|when|whenever|unless|once|should (?:the|a|an|any|this|that|it)|as soon as|as long as|in case|where|in the absence|given|depending on|with (?:an? )?(?:[a-z]+ed|missing|stale|invalid)|in the event|in that case|provided|providing|assuming|otherwise|else|on (?:failure|error|success|receipt|refusal|completion)|upon|after|before|until|while|wherever|every time|each time|the moment)\b[^.;]*[,:]/i;
const ifThen = /\bif\b[^.;]*\bthen\b|\b(?:if|elif|else if)\s*\(|=>|->\s*\w+|\belse\b/i;

function scripted(text: string): string | undefined {
  for (const sentence of sentencesOf(text)) {
    const match = ifThen.exec(sentence) ?? condition.exec(sentence);
    if (match !== null) return match[0];
  }
  return undefined;
}

// Rule 6: denials

const suspicions =
  /\b(?:jail-?break\w*|inject(?:ion|ions|ed|ing)|malicious\w*|malware|virus(?:es)?|exploit\w*|phish\w*|scam\w*|manipulat\w*|decei\w*|decepti\w*|trick\w*|attack\w*|hack\w*|spam\w*|fraud\w*|hidden|suspicious\w*|dangerous\w*|harm\w*|unsafe|threat\w*|nefarious|sinister|coerc\w*|social engineering|backdoor\w*|covert\w*|ulterior|fake|hoax|alarm\w*)\b/i;
const assurances =
  /\b(?:safe|safely|harmless|legitimate\w*|legit|trustworthy|benign|genuine\w*|innocent|innocuous|honest\w*|truly|trust\w*|good intentions|approved by|vetted|rest assured|assured|worry|worried|worries|fear|afraid|concern(?:ed|s)?|reassur\w*|promise[sd]?|guarantee[sd]? safe|nothing (?:bad|wrong|strange|unusual)|normal and)\b/i;
const deniedOrders =
  /\b(?:not|no|never|isn't|aren't|doesn't|don't|without|neither)\b[^.;]{0,40}\b(?:instructions?|commands?|orders?|prompts?)\b/i;

function defensive(text: string): string | undefined {
  return suspicions.exec(text)?.[0] ?? assurances.exec(text)?.[0] ?? deniedOrders.exec(text)?.[0];
}

// Rule 6: commands

const obligations =
  /\b(?:must|shall|should|ought to|(?:has|have|had|needs?|wants?) to|(?:is|are) to [a-z]+|(?:is|are|be) (?:strongly )?(?:expected|required|supposed|asked|told|urged|invited|encouraged|recommended|advised|requested|instructed|obliged|supposed|meant|bound) to|it is (?:recommended|advised|best|time|wise|necessary|important|imperative|essential|mandatory|better)\b|(?:next|first|last|final|only) (?:step|action|task|move) (?:is|are)|had better|best to|time to|feel free|mandatory|imperative|obligatory|please|kindly|required\b(?!_)|(?:is|are|be) (?:necessary|needed|appreciated|expected|advised|recommended)|gets? [a-z]+ed|not acceptable|up to the (?:model|agent|assistant|reader))\b/i;

/** Words before a verb that leave it a command. */
const openers = new Set(
  'please kindly just simply now then next first second third finally lastly also always never and or but so instead again afterwards once ok okay therefore thus hence only merely immediately'.split(
    ' ',
  ),
);

/** Words behind a base form that make it a verb. */
const behindVerbs = new Set(
  `the a an this that these those it its them they their him her each every all any some one two three both no another
  whatever whichever what who which how where why whether to with without from at on in into onto before after again now
  back up out off down only here there below above as until till by for over under through about against away forth
  first twice carefully slowly quickly immediately directly exactly ahead everything anything nothing something someone
  anyone not more less once together along and or`.split(/\s+/),
);

const finite =
  /^(?:is|are|was|were|be|has|have|had|do|does|did|can|cannot|may|might|will|would|could|[a-z]+(?:ses|zes|shes|ches|tes|ves|nds|rts|cts|nts|lds|nes|des|ies|ows|eps|gs))$/;

function commanding(text: string): string | undefined {
  const obligation = obligations.exec(text);
  if (obligation !== null) return obligation[0];
  return clausesOf(text).find(isCommand);
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!;])\s+/);
}

/** Pieces that may each begin with a verb. A label before a colon is a piece as well. */
function clausesOf(text: string): string[] {
  return text.split(/[.!;:,]\s+|[.!;:]$|\s[–—-]\s/).filter((clause) => clause.trim() !== '');
}

function isCommand(clause: string): boolean {
  const list = clause.toLowerCase().match(/[a-z0-9_']+/g) ?? [];
  let at = 0;
  while (at < list.length && isOpener(list, at)) at++;
  if (list[at] === 'do' && list[at + 1] === 'not') return true;
  if (/^(?:don't|dont)$/.test(list[at] ?? '')) return true;
  const verb = list[at];
  if (verb === undefined) return false;
  // Keys of rows are names, whatever English word they contain.
  if (verb.includes('_')) return false;
  const next = list[at + 1];
  if (verbsOnly.has(verb)) return next !== 'of' && !isFiniteThing(list, at);
  if (verbsAndNouns.has(verb)) return isVerbHere(list, at);
  // A verb that no list has is told by its ending and by what stands behind it.
  return /(?:[a-z]{3,}(?:ise|ize|ify|ate))$/.test(verb) && next !== undefined && behindVerbs.has(next);
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
  if (next === 'of' || finite.test(next) || /(?:ed|kept|made|held|cut|taken|given|sent)$/.test(next))
    return false;
  if (behindVerbs.has(next) || isGerund(next) || /^\d+$/.test(next)) return true;
  // A bare noun follows: a thing if a verb of its own comes later, or if nothing but its name is there.
  const later = list.slice(at + 2);
  if (later.length === 0) return false;
  return !later.some((word) => finite.test(word) || verbsOnly.has(word) || plainVerbs.has(word));
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
