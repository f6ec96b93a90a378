/**
 * English words by what they do in a clause, and which words of a text are finite verbs, by their form and their
 * neighbours (spec §2.12.1). `compound.ts` and `sentences.ts` judge by it. In other languages it finds almost nothing.
 */

const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Finite wherever they stand. */
export const auxiliaries = wordSet(`
  is are was were has have had does do did can cannot could will would may might must shall should
  isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't`);

/** Pasts that are no participles. */
export const pasts = wordSet(`
  arose ate became began broke came chose drew drove fell flew forbade froze gave went grew knew overcame ran rose
  sank saw shook shrank spoke sprang stole swam swore threw took withdrew woke wore wrote`);

/** Pasts that may be participles, or more; those in -ed are known by their ending. */
export const participles = wordSet(`
  bought brought built cut found heard held hit kept laid led left lost made met paid put read said sent set shut sold
  spent split spread stood struck swept taught thought told understood won`);

/** Verbs that are hardly ever nouns or adjectives, as they are or with an -s. */
export const plainVerbs = wordSet(`
  absorb accelerate align appoint attend await calculate cite clarify classify coordinate correlate declare decompose
  defend define depict deploy dilute disclose discuss dismiss disrupt distinguish distribute earn embed encapsulate
  encompass encourage endure enforce engage entail erode evaporate exacerbate expire expose fetch follow fulfil germinate
  harden hide hinder identify imitate impair inform injure insist inspect instruct invent invest isolate iterate join learn
  lend listen meet notify observe omit oppose optimise optimize organise organize outperform override oxidise oxidize
  perceive possess postpone precede prefer purify pursue rebuild relieve remember remind resemble resume retire rewrite
  seek select shine spawn speak submit subscribe suspend swallow teach tell tend thicken thrive traverse truncate unite
  unlock urge warn
  abolish accept accumulate achieve acquire activate adapt add adopt affect agree allocate allow alter amplify announce
  appear apply approve arise arrive assemble assert assign assume attach attain attenuate attract avoid become begin
  behave belong bind bring broaden build carry cause cease choose circulate cleave collect combine come compile complete
  compress comprise compute conclude conduct confer confirm connect conquer consist consume contain continue contribute
  convert create decide decode decrease degrade delete deliver demonstrate deny depend derive describe destroy detect
  determine develop differ diminish disable disappear discard discover dissolve divide eat eliminate emerge emit employ
  enable encode encrypt enhance enlarge ensure enter erase establish evaluate evolve examine exceed exclude execute exist
  expand explain express extend extract facilitate fail forbid generate get give go govern grow happen ignore illustrate
  implement imply impose improve include incorporate indicate induce infect inherit inhibit initiate inject insert insulate
  integrate interact interfere introduce invade invalidate invoke involve keep lie locate lose lower maintain make manage
  mediate melt merge migrate modify modulate multiply mutate obtain occupy occur operate own parse participate penetrate
  perform persist predict preserve prevent produce prohibit proliferate promote protect prove provide publish raise react
  receive recognise recognize recover recreate recruit reduce refer reflect refuse regulate reject rely remain remove render
  replace replicate represent repress reproduce require reside resist resolve respond restore restrict retain retrieve
  reveal rotate satisfy secrete see seem sell send separate serve shorten simplify solve specify spend stabilise stabilize
  stimulate strengthen succeed suffer suggest suppress surround survive sustain take terminate tolerate transcribe transform
  translate transmit undergo utilise utilize validate vanish vary verify violate weaken weigh withdraw withstand`);

export const presents: ReadonlySet<string> = new Set([...plainVerbs].map(thirdPerson));

function thirdPerson(base: string): string {
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ies` : `${base}s`;
}

/** What only a verb stands before: its object begins so. */
export const beginsObject = wordSet(`
  the a an it them him me us its their his her our each every any no another two three four five six seven eight nine
  ten`);

/** What begins a noun phrase that may be a subject. */
export const determiners = wordSet(`
  the a an its their his her our each every no all some most many few another both one two three four five six seven
  eight nine ten`);

export const pronouns = wordSet('it they he she we');

export const prepositions = wordSet(`
  about above across against along amid among around at before behind below beneath beside between beyond by despite
  during except for from in inside into like near of off on onto out outside over past per since than through throughout
  till to toward towards under until up upon via with within without`);

/** The words behind these belong to a clause or a pair of their own: what `and` joins there is part of one assertion. */
export const subordinators = wordSet(`
  if when whenever unless until because although though since after before whether that who which whose whom where
  wherever while as once than how why what both either neither between so lest provided`);

/** They take a clause without `that`. */
export const reporting = wordSet(`
  says say said shows show showed finds find found suggests suggest suggested indicates indicated reports reported claims
  claimed argues argued believes believed means meant implies implied proves proved states stated thinks thought knows knew
  predicts predicted estimates estimated assumes assumed asserts asserted holds held concludes concluded ensures ensured
  confirms confirmed demonstrates demonstrated reveals revealed`);

/** How surely a word is a finite verb where it stands. */
export const no = 0;
export const likely = 1;
export const sure = 2;
export type Finite = typeof no | typeof likely | typeof sure;

export interface Word {
  readonly text: string;
  readonly lower: string;
  readonly start: number;
  readonly end: number;
  /** What stands between it and the word before, without spaces. */
  readonly mark: string;
}

/** A quotation, a parenthesis or code counts as one word. */
const asides = /"[^"]*"|“[^“”]*”|‘[^‘’]*’|`[^`]*`|\([^()]*\)|\[[^[\]]*\]/g;

export function wordsOf(text: string): Word[] {
  const plain = text.replace(asides, (aside) => 'x'.repeat(aside.length));
  const words: Word[] = [];
  let end = 0;
  for (const { 0: word, index } of plain.matchAll(
    /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}'’_/.-]*[\p{L}\p{M}\p{N}])?/gu,
  )) {
    const lower = word.toLowerCase().replaceAll('’', "'");
    words.push({
      text: word,
      lower,
      start: index,
      end: index + word.length,
      mark: plain.slice(end, index).replaceAll(/\s/g, ''),
    });
    end = index + word.length;
  }
  return words;
}

export function finite(words: readonly Word[], at: number): Finite {
  const { lower, text, mark } = words[at] as Word;
  const before = words[at - 1]?.lower;
  if (before === undefined) return no;
  if (auxiliaries.has(lower)) return text === lower ? sure : no;
  if (mark === '' && (prepositions.has(before) || determiners.has(before) || auxiliaries.has(before)))
    return no;
  if (presents.has(lower) || pasts.has(lower)) return sure;
  const next = words[at + 1];
  const takes = next !== undefined && next.mark === '' && beginsObject.has(next.lower);
  if (isInS(lower)) return takes ? sure : next?.mark === '' && isPlace(next.lower) ? likely : no;
  if (plainVerbs.has(lower)) return mark === '' && isInS(before) ? sure : no;
  if (!isParticiple(lower)) return no;
  if (takes) return sure;
  return next !== undefined && next.lower !== 'by' && prepositions.has(next.lower) ? likely : no;
}

export function isPlace(lower: string): boolean {
  return prepositions.has(lower) && lower !== 'of';
}

export function isInS(lower: string): boolean {
  return /[a-z]{2}s$/.test(lower) && !/(?:ss|us|is|ics)$/.test(lower);
}

export function isParticiple(lower: string): boolean {
  return (/[a-z]{2}ed$/.test(lower) && !lower.endsWith('eed')) || participles.has(lower);
}

/** The first finite verb up to a word: a sure one, or else a likely one. */
export function mainVerb(words: readonly Word[], last: number): number | undefined {
  let second: number | undefined;
  for (let i = 1; i <= last; i++) {
    const strength = finite(words, i);
    if (strength === sure) return i;
    if (strength === likely) second ??= i;
  }
  return second;
}

/** Hardly ever anything but the beginning of an instruction. */
const instructs =
  /^(?:please|let|let's|don't|never|always|ensure|avoid|consider|remember|consult|verify|configure|remove|revoke|prefer|choose|do not|make sure)$/;
/** Verbs that may as well be nouns or adjectives: `Read replicas lag`, `Test coverage fell`. */
const mayInstruct =
  /^(?:use|take|try|do|note|see|read|stop|start|add|install|run|check|ask|keep|follow|rotate|replace|test|write|set)$/;
/** What only a noun phrase begins with, and so stands behind a verb. */
const beginsPhrase = /^(?:the|an?|your|each|every|this|these|those|its|their|all|any)$/;
/** What may stand before a noun phrase without being a verb. */
const noVerb =
  /(?:ing|ed|ly|[^s]s)$|^(?:both|half|such|what|which|who|only|even|just|not|or|and|but|yet|also|thus|hence|here|there|then|now|given|unlike|worth|plus|minus|versus|per|notwithstanding|in|quite|many|once)$/;

/** `Boil the water`: a verb before its object, without a subject, begins an instruction. */
export function beginsInstruction(text: string): boolean {
  const words = wordsOf(text.slice(0, 400));
  const [first, second] = words;
  if (first === undefined || first.text === first.text.toUpperCase()) return false;
  const { lower } = first;
  const pair = second?.mark === '' ? `${lower} ${second.lower}` : lower;
  if (instructs.test(pair) || (instructs.test(lower) && !isNamed(words))) return true;
  if (second === undefined) return false;
  if (second.mark !== '' || second.text !== second.lower) return mayInstruct.test(lower) && !isNamed(words);
  if (plainVerbs.has(lower) && beginsObject.has(second.lower)) return true;
  // `Ivan the Terrible`
  const isEpithet = /^\p{Lu}/u.test(words[2]?.text ?? '');
  if (beginsPhrase.test(second.lower) && !isEpithet) return !noVerb.test(lower) && !closedClass(lower);
  return mayInstruct.test(lower) && !isNamed(words);
}

/** Whether the first word is part of a subject: a verb follows that can only be the claim's own. */
function isNamed(words: readonly Word[]): boolean {
  const [, second] = words;
  if (second === undefined || second.mark !== '') return false;
  if (second.lower === 'of' || auxiliaries.has(second.lower)) return true;
  if (beginsObject.has(second.lower) || prepositions.has(second.lower) || subordinators.has(second.lower))
    return false;
  for (let i = 2; i < words.length; i++) {
    const { lower, mark } = words[i] as Word;
    if (mark !== '' || subordinators.has(lower)) return false;
    if (finite(words, i) === sure) return true;
    // `Check valves stop water`: a bare word behind a plural is its verb.
    if (isInS((words[i - 1] as Word).lower) || otherPlural.test((words[i - 1] as Word).lower))
      return !closedClass(lower) && !beginsObject.has(lower) && !notVerb.test(lower);
  }
  return false;
}

const otherPlural = /^(?:data|people|children)$/;
const notVerb =
  /^(?:and|or|only|together|everywhere|indoors|outdoors|again|first|twice|once|daily|now|then|\w+ly|not|all)$/;

function closedClass(lower: string): boolean {
  return (
    prepositions.has(lower) || subordinators.has(lower) || determiners.has(lower) || auxiliaries.has(lower)
  );
}
