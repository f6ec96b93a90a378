/**
 * The small words of English that never begin a noun of their own: closed classes, so that a list of them is a grammar
 * and no list of phrases. What may stand before a verb without making it a noun, and what behind it makes it one.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Words before a verb that leave it a command. */
export const openers = words(`
  please kindly just simply now then next first second third finally lastly also always never and or but so instead
  again afterwards once ok okay therefore thus hence only merely immediately here right well still yet alternatively
  meanwhile otherwise thereafter thereupon straightaway forthwith`);

/** Determiners and object pronouns: what a verb takes, and what no bare noun stands before. */
export const takenByVerbs = words(`
  the a an this that these those it them him me us each every any all both another its their his her whatever
  whichever anything everything something nothing`);

/** Words behind a base form that make it a verb. */
export const behindVerbs = words(`
  the a an this that these those it its them they their him her each every all any some one two three both no another
  whatever whichever what who which how where why whether to with without from at on in into onto before after again now
  back up out off down only here there below above as until till by for over under through about against away forth
  first twice carefully slowly quickly immediately directly exactly ahead everything anything nothing something someone
  anyone not more less once together along and or`);

/** Prepositions, conjunctions, determiners, pronouns and adverbs that may stand first, before "the". */
export const notVerbs = words(`
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
