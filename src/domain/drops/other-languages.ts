/**
 * Text that is not English (spec §1): the rules of this folder are a grammar of English, so what is written otherwise
 * cannot be found neutral. It is told by its letters, and by words of the closed classes of other languages, which no
 * sentence of theirs does without; words that English has as well are not among them.
 */
import { isForeignDescription } from './foreign-descriptions.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Articles, pronouns, prepositions, auxiliaries and particles of request. */
const closedClasses = words(`
  der ich dem den ein eine einen einem einer und oder nicht ist sind wird werden mit zu zum zur auf aus bei nach
  durch fuer für über unter ihr ihre sie wir dich mich euch bitte kein keine jetzt dann wenn diese dieser dieses
  dein deine le les une et ou sont avec dans sur ne pas vous votre vos cette ces qui que ensuite veuillez merci
  puis leur il elle el los las una unas unos pero para por sobre usted sus tus este esta estos estas está gli uno
  della dello dei delle nel nella poi questo questa prego sono tuo tua os um uma uns umas nas pelo pela seu sua
  não isto agora depois você een voor niet naar zijn wordt deze dit jouw uw alstublieft och att det ett inte för
  med på av är som vänligen og ikke til się nie oraz proszę tego es del est ha han`);
/** Whatever no word of English is written with; names keep their accents. */
const strangeLetters = /[\p{L}--[A-Za-zªº]]/v;

export function otherLanguage(text: string): string | undefined {
  const foreign = foreignWords(text);
  return foreign !== undefined && isForeignDescription(text) ? undefined : foreign;
}

function foreignWords(text: string): string | undefined {
  const plain = text.replace(/\b[A-Z][A-Z0-9_]*_[A-Z0-9_]*\b/g, ' ');
  for (const [word] of plain.matchAll(/[\p{L}\p{M}']+/gu)) {
    if (word.length === 1) continue;
    if (!/\p{Script=Latin}/u.test(word)) return word;
    if (strangeLetters.test(word) && word === word.toLowerCase()) return word;
  }
  const found = (plain.match(/[\p{L}']+/gu) ?? []).filter((word) => closedClasses.has(word));
  if (found.length > 0) return found.join(' ');
  // An article with a capital is one only where a line begins.
  return /^(?:le|les|el|los|der|das)(?= \p{L})/iu.exec(plain)?.[0];
}
