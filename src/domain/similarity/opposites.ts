/**
 * English opposites: a list of opposing words, and prefixes that make an opposite (contract §5 "Near-duplicates and
 * contraries"). On each line any word of the left side is an opposite of any word of the right side. The list holds
 * base forms; inflections and derivations are looked up by their roots.
 */
import { isInflection, memoized, roots } from './inflection.ts';
import { respell } from './words.ts';

export const oppositeWords: readonly string[] = [
  // more and less
  'increase raise rise grow gain enhance elevate boost augment expand extend amplify climb soar surge intensify escalate heighten swell upregulate double triple multiply | decrease reduce lower fall shrink lose diminish decline drop lessen abate contract curtail attenuate weaken mitigate downregulate halve dwindle plummet drop cut sink blunt dampen limit restrict slow suppress inhibit',
  'more most | less fewer least fewest',
  'high tall elevated | low short reduced',
  'big large great huge major substantial considerable significant | small little minor tiny slight negligible trivial insignificant',
  'long lengthy | short brief',
  'maximum maximal peak upper top ceiling | minimum minimal trough bottom floor lower',
  'deep | shallow',
  'wide broad | narrow',
  'thick thicken | thin',
  'heavy | light',
  'strong strengthen robust potent | weak weaken feeble fragile',
  'fast quick rapid swift accelerate hasten speed | slow sluggish gradual decelerate delay',
  'many numerous plenty abundant abundance excess surplus | few scarce scarcity shortage deficit deficiency lack insufficient',
  'full complete entire whole total | empty partial incomplete',
  // cause and hinder
  'cause induce trigger promote encourage stimulate facilitate favour foster enable activate allow permit support elicit mediate drive initiate catalyse provoke evoke produce generate help aid assist sustain maintain advance protect | prevent inhibit suppress block impede hinder discourage hamper prohibit forbid ban bar disable deactivate inactivate oppose abolish abrogate repress silence stop halt avoid counteract antagonise thwart preclude arrest obstruct reduce decrease attenuate disrupt',
  'enhancer activator promoter inducer agonist stimulant | suppressor inhibitor repressor blocker antagonist depressant',
  'improve better ameliorate benefit enhance restore repair heal help | worsen impair aggravate exacerbate harm damage deteriorate degrade hurt disrupt injure compromise',
  'better best superior good well excellent | worse worst inferior bad poor poorly badly',
  'protect protective prevent preserve shield safeguard | harm damage destroy expose endanger threaten vulnerability cause',
  'beneficial helpful favourable advantage benefit useful | harmful detrimental adverse deleterious unfavourable disadvantage drawback useless',
  'create build construct establish found make | destroy demolish dismantle abolish ruin',
  'resistance resistant immunity immune | susceptibility susceptible vulnerability vulnerable prone sensitivity sensitive',
  'success succeed successful manage achieve pass | failure fail unsuccessful ineffective miss',
  'effective efficacious | ineffective useless',
  'safe harmless safety | dangerous harmful hazardous toxic unsafe danger risk',
  // agree and refuse
  'accept approve adopt grant admit uphold affirm confirm ratify agree endorse acknowledge | reject deny refuse decline dismiss overturn reverse disagree veto rebut overrule revoke repeal disprove',
  'support favour back defend advocate endorse | oppose attack resist contest undermine challenge refute contradict',
  'allow permit authorise legalise tolerate | forbid prohibit ban disallow outlaw bar',
  'include contain comprise involve have possess retain keep | exclude omit lack miss exempt discard',
  'with including plus and | without excluding minus lacking except',
  'guilty convict condemn | innocent acquit absolve exonerate',
  'legal lawful valid binding | illegal unlawful void invalid null unenforceable',
  'mandatory required compulsory obligatory necessary essential must | optional voluntary unnecessary dispensable may',
  'true correct right accurate | false incorrect wrong inaccurate untrue',
  'same equal identical alike similar equivalent | different unequal distinct dissimilar opposite differ',
  'know known | unknown',
  'possible able capable can | impossible unable incapable cannot',
  'likely probable certain sure | unlikely improbable uncertain doubtful',
  'common frequent usual ordinary prevalent widespread | rare infrequent unusual uncommon exceptional',
  'present presence exist available | absent absence missing unavailable',
  'positive direct | negative inverse indirect',
  'linked related correlated dependent connected associated coupled | unlinked unrelated uncorrelated independent disconnected unassociated uncoupled',
  'active enabled on awake alive live | inactive disabled off asleep dead dormant passive idle',
  // time
  'before prior previous previously earlier early preceding precede former until | after subsequent subsequently later late following follow latter since',
  'first earliest initial begin start commence open launch introduce enter beginning birth | last latest final end finish stop cease close terminate withdraw exit ending death',
  'new newer modern recent young novel | old older ancient elder elderly obsolete traditional',
  'old elder older senior | young younger junior',
  'always constantly invariably often frequently usually | never rarely seldom sometimes occasionally infrequently',
  'permanent lasting constant stable chronic | temporary transient fleeting variable unstable acute',
  'day daytime morning dawn | night nighttime evening dusk',
  'summer | winter',
  'compile static | run dynamic',
  // place and direction
  'up upward upwards above over upper upstream uphill ascend climb top overhead onto | down downward downwards below under lower downstream downhill descend fall bottom beneath underneath off',
  'in into inside within inner internal interior indoor indoors inward enter import | out outside outer external exterior outdoor outdoors outward exit export',
  'left | right',
  'north northern | south southern',
  'east eastern | west western',
  'front forward forwards ahead anterior ventral | back rear backward backwards behind posterior dorsal',
  'near close nearby adjacent | far distant remote',
  'central proximal core medial | peripheral distal lateral marginal',
  'horizontal | vertical',
  'clockwise | counterclockwise anticlockwise',
  'to toward towards | from away',
  'come arrive join enter return | go leave depart quit exit',
  'push | pull',
  'send emit give lend sell export | receive absorb take borrow buy import',
  'win victory beat defeat | lose surrender',
  'attack offensive | defend defence defensive',
  'promote promotion | demote relegate relegation demotion',
  'home host | away guest visitor',
  // kinds and states
  'hot warm heat boil melt | cold cool chill freeze solidify',
  'wet moist humid damp | dry arid',
  'hard solid stiff rigid | soft liquid flexible fluid',
  'bright light white | dark dim black',
  'raw fresh | cooked dried stale processed',
  'sweet | sour bitter',
  'acid acidic acidity | alkaline basic alkalinity',
  'rich wealthy wealth | poor poverty',
  'expensive costly | cheap inexpensive',
  'simple easy easily straightforward | complex difficult complicated hard',
  'open | closed shut',
  'attach connect bind join fasten couple unite merge | detach disconnect release separate loosen divide split dissociate',
  'lock | unlock',
  'show reveal visible display | hide conceal hidden invisible',
  'add insert append attach | remove delete subtract withdraw',
  'public | private secret',
  'local | global remote',
  'mutable variable writable | immutable constant readonly',
  'dominant | recessive',
  'male man boy father son husband king men he his | female woman girl mother daughter wife queen women she her',
  'adult parent | child infant offspring juvenile',
  'human | animal nonhuman',
  'plaintiff claimant prosecution accuser | defendant respondent defence accused',
  'buyer purchaser customer | seller vendor supplier',
  'employer | employee',
  'landlord lessor | tenant lessee',
  'creditor lender | debtor borrower',
  'client | server',
  'read reader | write writer',
  'source origin | target destination sink',
  'profit surplus asset | loss deficit liability',
  'war | peace',
  'malignant | benign',
  'wild | domestic tame cultivated',
  'natural organic | artificial synthetic',
  'odd | even',
  'systolic | diastolic',
  'arterial artery | venous vein',
  'saturated | unsaturated',
  'single one unique sole | multiple several many plural double',
  'synchronous | asynchronous',
  'encrypt encode | decrypt decode',
  'succeed | precede',
  'survive survival live alive | die death dead perish mortality',
  'healthy | sick ill diseased',
  'love like | hate dislike',
];

const pairs = (text: string): readonly (readonly [string, string])[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('/') as [string, string]);

/** A prefix and what replaces it in the opposite: `un` + `stable`, `hyper` against `hypo`. */
const oppositePrefixes = pairs(`
  un/ in/ im/ il/ ir/ dis/ non/ mis/ de/ anti/ counter/ a/ an/ ant/ dys/ mal/ pre/ pseudo/
  dis/en dis/as dis/con in/ex im/ex in/out up/down over/under pre/post ante/post fore/hind hyper/hypo macro/micro maxi/mini max/min
  multi/mono multi/uni poly/mono bi/uni homo/hetero intra/inter intra/extra intro/extro endo/exo endo/ecto sub/super sub/supra
  infra/supra pro/anti as/de ac/de in/de en/de on/off in/off tachy/brady eu/dys some/no every/no any/no every/some
  north/south east/west for/back front/back left/right
`);

/** Opposites in scripts without spaces between words. */
export const oppositeCharacters = pairs(`
  增/减 增/降 增/縮 升/降 上/下 涨/跌 高/低 大/小 多/少 长/短 前/后 先/后 早/晚 内/外 进/出 入/出 左/右 东/西 南/北 正/负 正/反 阳/阴
  强/弱 快/慢 加/减 优/劣 好/坏 有/无 是/非 真/假 对/错 支持/反对 同意/反对 促/抑 允许/禁止 开/关 开始/结束 始/终 生/死 男/女 新/旧 冷/热
  胜/败 赢/输 买/卖 公/私 主/客 安全/危险 成功/失败 接受/拒绝 肯定/否定 所有/部分 全部/部分 总/从不 经常/很少 已/尚未 以上/以下
  增加/減少 以前/以後 長/短 進/出 強/弱 正/負 陽/陰 開/閉
`);

const linesOf = new Map<string, number[]>();
for (const [n, line] of oppositeWords.entries())
  for (const [side, words] of line.split('|').entries())
    for (const word of words.trim().split(' '))
      for (const spelling of new Set([word, respell(word)]))
        linesOf.set(spelling, [...(linesOf.get(spelling) ?? []), 2 * n + side]);

/** Shorter words have no distinguishable prefix. */
const prefixedLengthMin = 5;
/** Letters after the prefix. */
const restLengthMin = 3;

interface Lookup {
  /** The sides of the list that hold a root of the word: 2n is the left side of line n, 2n + 1 its right side. */
  readonly sides: readonly number[];
  /** The word without a prefix that makes an opposite, and the prefix of that opposite. */
  readonly unprefixed: readonly { readonly otherPrefix: string; readonly rest: string }[];
}

const lookUp = memoized((word): Lookup => ({
  sides: roots(word).flatMap((root) => linesOf.get(root) ?? []),
  unprefixed: oppositePrefixes
    .filter(
      ([prefix]) =>
        word.length >= prefixedLengthMin &&
        word.startsWith(prefix) &&
        word.length - prefix.length >= restLengthMin,
    )
    .map(([prefix, otherPrefix]) => ({ otherPrefix, rest: word.slice(prefix.length) })),
}));

export function areOpposites(a: string, b: string): boolean {
  const [first, second] = [lookUp(a), lookUp(b)];
  return (
    first.sides.some((side) => second.sides.includes(side ^ 1)) ||
    differByPrefix(first, b) ||
    differByPrefix(second, a)
  );
}

function differByPrefix({ unprefixed }: Lookup, word: string): boolean {
  return unprefixed.some(
    ({ otherPrefix, rest }) =>
      word.startsWith(otherPrefix + rest.slice(0, 2)) && isInflection(rest, word.slice(otherPrefix.length)),
  );
}
