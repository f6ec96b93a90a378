/**
 * English words by what they do in a clause, as data for `compound.ts`: what is finite by its form alone, what may
 * as well be a noun, and what hands the words behind it to a clause of its own.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Finite wherever they stand. */
export const auxiliaries = words(`
  is are was were has have had does do did can cannot could will would may might must shall should
  isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't`);

/** Pasts that are no participles. */
export const pasts = words(`
  arose ate became began broke came chose drew drove fell flew forbade froze gave went grew knew overcame ran rose
  sank saw shook shrank spoke sprang stole swam swore threw took withdrew woke wore wrote`);

/** Pasts that may be participles, or more; those in -ed are known by their ending. */
export const participles = words(`
  bought brought built cut found heard held hit kept laid led left lost made met paid put read said sent set shut sold
  spent split spread stood struck swept taught thought told understood won`);

/** Verbs that are hardly ever nouns or adjectives, as they are or with an -s. */
export const plainVerbs = words(`
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

/** Of those, and of other verbs, the forms without -s that are something else as well. */
export const otherBases = words(
  'complete conduct lower own separate extract convert decrease appear raise lie cause present',
);

/** Plurals without an -s. */
export const plurals = words(
  'people men women children mice patients cells data bacteria fish sheep mammals',
);

/** In -s, but neither verbs nor plurals. */
export const otherInS = words(`
  its his this thus as us always perhaps sometimes besides various previous whereas across plus versus unless towards
  afterwards less yes series species means`);

/** What only a verb stands before: its object begins so. */
export const beginsObject = words(`
  the a an it them him me us its their his her our each every any no another two three four five six seven eight nine
  ten`);

/** What begins a noun phrase that may be a subject. */
export const determiners = words(`
  the a an its their his her our each every no all some most many few another both one two three four five six seven
  eight nine ten`);

export const pronouns = words('it they he she we');

export const prepositions = words(`
  about above across against along amid among around at before behind below beneath beside between beyond by despite
  during except for from in inside into like near of off on onto out outside over past per since than through throughout
  till to toward towards under until up upon via with within without`);

/** The words behind these belong to a clause or a pair of their own: what `and` joins there is part of one assertion. */
export const subordinators = words(`
  if when whenever unless until because although though since after before whether that who which whose whom where
  wherever while as once than how why what both either neither between so lest provided`);

/** They take a clause without `that`. */
export const reporting = words(`
  says say said shows show showed finds find found suggests suggest suggested indicates indicated reports reported claims
  claimed argues argued believes believed means meant implies implied proves proved states stated thinks thought knows knew
  predicts predicted estimates estimated assumes assumed asserts asserted holds held concludes concluded ensures ensured
  confirms confirmed demonstrates demonstrated reveals revealed`);
