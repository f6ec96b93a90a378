/**
 * English base forms that can open a command, as data. Those of the second list are as often nouns ("call
 * budget", "share tokens"), so that what follows decides. No list of phrases: a phrase is easily reworded.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Base forms that are hardly ever nouns. */
export const verbsOnly = words(`
  accept achieve acknowledge act activate adapt add adhere adjust adopt advise affirm agree allow alter analyse analyze
  announce append apply approach approve arrange articulate ascertain ask assemble assert assess assign assist assume
  attach attempt authenticate authorise authorize avoid await be become begin believe bring browse build bypass
  calculate carry catch categorise categorize cease choose cite clarify classify clean clear click close collect
  combine come commence communicate compare compile complete compose comply compute conclude conduct confirm connect
  consider construct consult continue contribute convert convey create decide declare decode deem define delete deliver
  demonstrate deny deploy describe determine develop disable disclose discover discuss dismiss dispatch display
  disregard distribute divide download elaborate embed emit employ enable encode encourage engage ensure enter
  enumerate establish evaluate examine exclude execute expand explain explore export express extend extract fill find
  finish fix follow forget format forward gather generate get give go grab grasp guess handle hand have heed hesitate
  hide hold identify ignore illustrate imagine impersonate implement import include incorporate indicate inform
  initiate insert inspect install instruct interpret invent investigate invite invoke join keep know learn leave let
  list listen load locate log look maintain make memorise memorize mention merge mind modify navigate negotiate
  notify obey observe obtain omit output override paraphrase parse pass paste perform persist pick place play populate
  praise prefer prepare present preserve pretend prevent print proceed produce promise propose prove provide publish
  pull pursue push put quote react realise realize reason recall receive recognise recognize recommend redo refer
  reflect refrain refuse register reject relay rely remain remember remind remove render repair repeat rephrase replace
  reply represent resolve respond restart restrict resume retain retrieve retry return reveal revise revisit rewrite
  roleplay save say scroll seek select send set show sign simulate skip solve sort specify speak start stay stick store
  submit succeed suggest summarise summarize supply suppose take talk tell think transcribe transfer transform translate
  transmit treat trust try type understand update upgrade upload utilise utilize validate verify view visit wait want
  watch write yield`);

/** Base forms that are nouns or adjectives too. */
export const verbsAndNouns = words(`
  access address aim answer appeal attest audit average back balance block bound branch call cancel cap care cause
  challenge change charge check claim command comment compress consent contact contract copy cost count cover credit cut
  damage date default delay delegate demand design detail do document draft drop edit end escalate estimate exit
  exchange experience fetch feel file filter finger fire focus fork format frame fund grant group guard guarantee guide
  head help hit host index input interest invoice issue judge label lead lease limit link lock manage map mark match
  measure meet mint move name need note number object offer open operate order own page patch permit pin pipe plan point
  post price process program project prompt purchase query question quit rank rate read record reference release repair
  report request reserve rest result review reward route rule run sample schedule scope score search share sound source
  split stand state step stop strip study subject summon supply support surface switch tag target test thank touch trace
  track trade train transcribe transfer trigger turn use value voice vote walk warrant weigh witness work`);
