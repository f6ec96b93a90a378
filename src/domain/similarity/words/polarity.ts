/**
 * Words that turn a sentence when they come, go or change, as data: negations, quantifiers, directions,
 * exclusions, modals and comparison signs (contract §5 "Near-duplicates and contraries").
 */
import { grouped } from './grouped.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** One more or one fewer of these says the contrary. Other languages stand beside English. */
export const negations = words(`
  not no never none nobody nothing nowhere neither nor non cannot un hardly scarcely barely unable incapable nought nil
  fail fails failed failing failure lack lacks lacked lacking absence absent false untrue instead impossible
  nicht kein keine keinen keiner keinem keines nie niemals niemand nichts weder nirgends kaum nein
  ne pas non jamais rien aucun aucune personne ni guère nunca jamás nada nadie ningún ninguna ninguno
  mai nessuno nessuna niente não nem nenhum nenhuma ninguém niet geen nooit niemand niets inte ingen inget inga aldrig
  ikke ingen aldri aldrig не нет ни никогда нельзя ничего nie nigdy żaden bez değil yok لا ليس لم لن غير ما לא אין नहीं मत
`);

/** Looked for as characters in scripts written without spaces. */
export const negationCharacters = /[不没沒非无無未否勿莫毋]|ない|なく|なか|ません|せん|ไม่|มิ/gu;
/** Looked for inside Korean words. */
export const negationSyllables = /[않못없]|아니/u;

/** Between groups, or one-sided, the claim is another; within a group it may be. */
export const quantifiers = grouped([
  'all every each everyone everybody everything both alle alles jeder jede jedes sämtliche tous toutes todos todas tutti tutte все',
  'some several various someone somebody something partly partially manche einige etliche quelques algunos algunas alcuni alcune некоторые',
  'many much numerous often frequently usually generally typically viele beaucoup muchos muchas molti многие',
  'most mostly mainly largely majority predominantly primarily meisten plupart mayoría',
  'few little fewer seldom rarely occasionally wenige selten peu pocos pocas pochi',
  'only solely exclusively merely just nur bloß seulement sólo solo soltanto только',
  'always immer toujours siempre sempre всегда',
  'sometimes manchmal parfois',
  'half halb hälfte',
  'once',
  'twice double',
  'thrice triple',
  'least mindestens',
  'höchstens',
  'minority',
]);

/** Words of place, time, role and condition; exchanged for one of another group they turn the relation. */
export const directions = grouped([
  'to towards toward nach zu',
  'from von aus',
  'into onto',
  'out off',
  'for',
  'against',
  'before prior until till vor bevor bis',
  'after since nachdem seit',
  'above over über',
  'below under beneath underneath unter',
  'up upward upwards auf',
  'down downward downwards ab',
  'by',
  'because due',
  'despite although though notwithstanding',
  'if when whenever',
  'unless',
  'pre',
  'post',
  'anti',
  'pro',
  'sub',
]);

export const exclusions = words(`
  without except excepting excluding exception unless besides apart barring
  ohne außer ausgenommen sans sauf excepté hors sin salvo excepto senza tranne eccetto sem exceto zonder behalve utan utom uten без кроме
`);

/** One-sided or exchanged they change what is claimed, without saying its contrary. */
export const modals = words(`
  must shall may might can could should ought will would need
  muss müssen kann können darf dürfen soll sollen sollte wird werden würde peut doit puede debe
`);

/** Signs that compare, negate or set a power: any difference in them is one of meaning. */
export const turningSigns = words('< > ≤ ≥ = ≠ ≈ ± ^ ! ¬ ∈ ∉ ⊂ ⊃ ⊆ ⊇ → ← ↑ ↓ ⇒ ⇐ ∀ ∃');
