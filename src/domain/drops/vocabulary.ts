/**
 * English word classes as data: function words, and base forms of verbs that can begin a command. No list of phrases: a
 * phrase is easily reworded.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Words before a verb that leave it a command. */
export const commandOpeners = words(`
  please kindly just simply now then next first second third finally lastly also always never and or but so instead
  again afterwards once ok okay therefore thus hence only merely immediately here right well still yet alternatively
  meanwhile otherwise thereafter thereupon straightaway forthwith`);

/** Determiners and object pronouns: what a verb takes, and what no bare noun stands before. */
export const objectStarters = words(`
  the a an this that these those it them him me us each every any all both another its their his her whatever
  whichever anything everything something nothing`);

/** Words behind a base form that make it a verb. */
export const wordsAfterVerbs = words(`
  the a an this that these those it its them they their him her each every all any some one two three both no another
  whatever whichever what who which how where why whether to with without from at on in into onto before after again now
  back up out off down only here there below above as until till by for over under through about against away forth
  first twice carefully slowly quickly immediately directly exactly ahead everything anything nothing something someone
  anyone not more less once together along and or`);

/** Prepositions, conjunctions, determiners, pronouns and adverbs that may stand first, before "the". */
export const nonVerbs = words(`
  about above across after against along alongside although amid among around as at because before behind below beneath
  beside besides between beyond both but by concerning despite down during each either else even ever every except
  excluding few for from half hence here how however if in including inside into its least less like many more most much
  near neither never no none nor not of off on once only onto opposite or out outside over past per plus quite rather
  regarding same save several since so some still such than that the their then there these they this those though
  through throughout thus till to today toward towards twice under underneath unless unlike until unto up upon versus via
  what whatever when whenever where whereas wherever whether which whichever while who whoever whom whose why with within
  without yet all also another any a an be is are was were does do did has have had can may might must shall should will
  would could it he she we you i one two three four five six seven eight nine ten and just now then next first second
  third last again always often sometimes usually elsewhere everywhere anywhere somewhere afterwards meanwhile instead
  too almost nearly perhaps maybe nothing something everything anything nobody somebody everybody anybody`);

/** Base forms that are hardly ever nouns. */
export const verbs = words(`
  abide accept achieve acknowledge act activate adapt add adhere adjust adopt advertise advise affirm agree allow
  alter analyse analyze announce append apply approach approve arrange articulate ascertain ask assemble assert
  assess assign assist assume assure attach attempt attend authenticate authorise authorize avoid await be become
  beg begin behave believe borrow bring browse bypass calculate carry catch categorise categorize cease chew choose
  cite clarify classify clean clear click close collaborate collect combine come commence communicate compare compel
  compile complain complete comply compose comprehend compute conclude conduct confess confide confirm connect
  consider construct consult continue contribute convert convey crawl create criticise criticize curl decide declare
  decode deduce deem defend defer define delete deliver demonstrate deny depart depend deploy deprecate derive
  describe detach detect determine develop deviate dig disable disagree disappear discard disclose discourage
  discover discuss dismiss disobey dispatch disregard distribute divide dodge earn eat elaborate elect eliminate
  embrace emit emphasise emphasize employ enable encode encourage endorse enforce engage enjoy enlarge enlist enrich
  ensure enter enumerate envision erase establish evaluate examine exclude execute expand explain explore expose
  express extend extract fill find finish fix follow forget format forward fulfil fulfill gather generate get give
  glue go grab grasp greet grow guess hand handle harvest have hear heed hesitate hide hold hurry identify ignore
  illustrate imagine impersonate implement impose impress improve include incorporate indicate infer inform initiate
  inquire insert insist inspect install instantiate instruct interact intercept interpret interrogate introduce
  invent investigate invite invoke join jot justify keep know lay lean learn leave lend let linger listen load
  locate look maintain make manufacture marry memorise memorize mention mimic mind minimise minimize moderate modify
  muster navigate negotiate nominate notify obey observe obtain occupy omit output overlook override overwrite
  paraphrase parse pass paste perform persist peruse pick ping pinpoint place play ponder populate pour practise
  praise preach predict prefer prepare present preserve pretend prevent prioritise prioritize proceed proclaim
  produce prohibit promise pronounce proofread propagate propose prove provide publish punish pursue put quicken
  quote raise ramble react realise realize rearrange reason reassure rebuild recall receive recite reckon recognise
  recognize recommend reconsider reconstruct recover redo refactor refer refine reflect refrain refuse regenerate
  register reiterate reject rejoice relate relax relay rely remain remember remind remove render reopen reorder
  repeat rephrase replace reply represent reproduce rescue resist resolve respond restrict resubmit resume retain
  retell retrace retrieve reuse reveal revert revise revisit rewrite roleplay sanitise sanitize satisfy save say
  scour scramble scroll scrutinise scrutinize seek seize select sell send serve set settle show shrink shut sign
  simulate sing sit skim skip sleep sneak solicit solve speak specify spend squeeze stay steer stick stimulate store
  straighten stretch strive submit subscribe substitute subtract succeed suggest summarise summarize supply suppose
  surrender survive suspend swear swipe tackle take talk teach tell terminate think tidy tolerate transcribe
  transfer transform translate transmit treat trust try type understand unlock unpack unveil uphold urge utilise
  utilize validate vanish venture verify visit visualise visualize wait wander want warn watch wipe withhold yell
  yield`);

/** Base forms that are nouns or adjectives too. */
export const verbNouns = words(`
  access address advance aid aim answer appeal attest audit average back balance beat block bound bow branch break
  broadcast build call cancel cap care cast cause challenge change charge chase check cheer claim climb command
  comment commit compress consent contact contract copy cost count cover credit cure cut damage dare date default
  delay delegate demand design detail display dive do document download draft drag draw drink drive drop edit embed
  end escalate escape estimate exchange exit experience export feed feel fetch fight figure file filter finger fire
  flip fly focus fork format frame fund glance grant group guarantee guard guide head help hit host hunt import
  increase index input interest invoice issue judge jump knock label lead lease lift like limit link list live lock
  log loop lower manage map mark match measure meet merge mint mirror move name need note number object offer open
  operate order own page patch peek permit pin pipe plan point poke post press price print probe process program
  project prompt pull purchase push query question quit rank rate reach read record reference refresh release repair
  report request research reserve respect rest restart result retry return reverse review reward ride rise roll
  route rule run rush sample scan schedule scope score screen seal search separate shake share shift shout slide
  slip snap sort sound source speed spell spin split spot spread stand start state step stop strike strip study
  subject summon supply support surface suspect swap sweep switch tag tap target tear test thank throw tie toggle
  toss touch trace track trade train transcribe transfer trigger trim turn update upgrade upload use value view
  voice vote wake walk warrant wash wave weigh whisper win witness wonder work wrap write zip`);

/** Whether a word is a base form that can tell somebody to do something. */
export function isBase(word: string): boolean {
  const verb = word.toLowerCase();
  return (verbs.has(verb) || verbNouns.has(verb)) && verb !== 'have' && verb !== 'need';
}
