/**
 * Doses for a person and medical advice (spec §2.12 rule 3, contract §5): refused in every text of a claim or source
 * but a source's exact quote and title. An amount in another setting, such as fuel or a beaker, is no dose. The
 * labelled lines in `vectors/medical` hold what these patterns must tell apart.
 */
import { violation, type Violation } from '../violations.ts';
import { beginsInstruction } from './clauses.ts';

const numeral =
  /(?:(?<![\d.,])\d{1,9}(?:[., ]\d{1,9}){0,3}|(?<![\w-])(?:(?:(?:an?|several|\w{3,9})\s)?(?:hundred|thousand|million|dozen|couple of)(?:\sand)?(?:\s(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|\sfive|\sten)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|half an?|(?:a|one) (?:half|quarter|third)(?: of an?)?|an?))/i
    .source;
/** Abbreviated units keep their case: "5G" is no dose. */
const massUnit =
  '(?:mg|mcg|µg|μg|ug|IU|iu|[kM]IU|mL|ml|cc|g|gm|ng|mEq|[mµμ]mol|(?i:(?:milli|micro)?grams?|(?:milli|micro)?grammes?|millilit(?:er|re)s?|(?:international )?units|(?:tea|table|dessert)?spoon(?:ful)?s?|capfuls?|droppersful|dropperfuls?|(?:fluid )?ounces?|millimoles?|nanograms?))';
const pieceUnit =
  '(?i:tablets?|pills?|capsules?|caplets?|sprays?|inhalations?|lozenges?|drops?|puffs?|sachets?|suppositor(?:y|ies)|injections?|doses?|ampou?les?|patch(?:es)?|wafers?|vials?|shots?|jabs?|gumm(?:y|ies)|pastilles?|scoops?|pea-sized amounts?|dabs?)';
const amount = new RegExp(
  `(?i:${numeral})(?:\\s?(?:-|–|to|or)\\s?\\d{1,9}(?:[.,]\\d{1,9}){0,3})?[\\s-]?${massUnit}(?![\\w°])`,
);
const everyAmount = new RegExp(amount, 'g');
const pieces = new RegExp(
  `${numeral}(?:\\s?(?:-|–|to|or)\\s?${numeral})?\\s{1,3}(?:\\w{1,20}\\s)?${pieceUnit}(?!\\w)`,
  'i',
);
const perKilogram =
  /(?:mg|mcg|µg|μg|g|IU|mL|ml)\s?(?:\/|per )\s?(?:kg|kilogram)\b|(?:mg|mcg|µg|μg)\s?\/\s?m(?:2|²)/;
/** After an amount: a concentration or a molar mass, which is no dose. */
const concentration =
  /^\s?(?:\/|per )\s?(?:\d{1,4}\s?)?(?:[dmµμ]?L|[mµμ]?l|dl|lit(?:er|re)s?|decilit(?:er|re)s?|millilit(?:er|re)s?|mol|moles?|cm3|m3|cubic|square)(?!\w)/;
const frequency =
  /\b(?:daily|nightly|(?:once|twice|thrice|(?:two|three|four|five|six|[2-6]) times|every|each)\s{1,3}(?:(?:an?|per|each|other|second|third|two|three|four|six)\s{1,3})?(?:days?|weeks|night|week|morning|evening|hour|\d{1,3}\s?(?:h|hours?|days?)|(?:four|six|eight|twelve) hours|daily|weekly)|(?:a|per|each|every)\s+(?:day|night|morning|evening)|weekly|at (?:bedtime|night)|before (?:bed|sleep|exercise)|thrice a day|(?:before|after|with|at) (?:meals?|mealtimes?|breakfast|lunch|dinner|supper)|b\.?i\.?d\.?|t\.?i\.?d\.?|q\.?d\.?|q\d+h)\b|\/(?:day|d)\b/i;
const intake =
  /\b(?:dos(?:e|es|age|ages|ing)|tak(?:e|es|en|ing)|took|ingest\w*|swallow\w*|administ\w+|inject\w*|infus\w+|prescri\w+|oral(?:ly)?|by mouth|intravenous\w*|subcutaneous\w*|intramuscular\w*|tablets?|pills?|capsules?|body ?weight|supplement\w*|receiv(?:e|es|ed|ing))\b/i;
const given =
  /\b(?:took|tak(?:e|es|en|ing)|ate|eat(?:s|en|ing)?|dr[aiu]nk|chew\w*|inhal\w*|inject\w*|infus\w+|swallow\w*|ingest\w*|administ\w+|g[ia]ve[ns]?|receiv\w+|got|us(?:e|ed|ing)|wore|prescri\w+|oral\w*|by mouth|intravenous\w*|intranasal\w*|p\.o\.|IV)\b/i;
const inertOnly =
  /\b(?:contains?|contained|holds?|held|weighs?|weighed|stores?|mou?lding|cuneiform|atmosphere|orbit\w*|moon)\b/i;
const person =
  /\b(?:patients?|adults?|child(?:ren)?|infants?|bab(?:y|ies)|toddlers?|teenagers?|wom[ae]n|m[ae]n|people|persons?|humans?|pregnan\w+|grown-ups?|boys?|girls?|newborns?|students?|athletes?|runners?|smokers?|climbers?|the elderly|users?|volunteers?|participants?|you|your)\b/i;
const medicine =
  /\b(?:aspirin|paracetamol|acetaminophen|naproxen|codeine|morphine|tramadol|fentanyl|oxycodone|methadone|naloxone|insulin|heparin|interferon|ibuprofen|metformin|warfarin|digoxin|predniso(?:ne|lone)|dexamethasone|hydrocortisone|cortisone|levothyroxine|melatonin|cannabidiol|CBD|psilocybin|ketamine|colchicine|(?:hydroxy)?chloroquine|quinine|ivermectin|epinephrine|adrenaline|nitroglycerin\w*|caffeine|nicotine|tocopher\w+|folic acid|folate|vitamins?|antibiotics?|antidepressants?|painkillers?|opioids?|steroids?|statins?|vaccines?|medicines?|medications?|drugs?|\w{2,20}(?:cillin|mycin|taxel|rubicin|platin|thiazide|semide|parib|ciclib|terol|onide|dronate|lukast|fibrate|retinoin|floxacin|cycline|statin|pril|sartan|olol|dipine|prazole|tidine|triptan|setron|azepam|azolam|barbital|oxetine|triptyline|profen|coxib|gliptin|gliflozin|glutide|parin|xaban|tinib|zumab|ximab|clovir|navir|conazole|caine))\b/i;
/** Settings in which an amount is no dose. */
const elsewhere =
  /\b(?:fuel|petrol|gasoline|diesel|engines?|stroke|oil|lubricant|pumps?|beakers?|flasks?|burettes?|pipettes?|test tubes?|cuvettes?|reagents?|titrat\w*|solutions?|solvents?|buffers?|assays?|samples?|reactors?|catalysts?|batter(?:y|ies)|solder|resin|paint|concrete|steel|alloys?|ink|soils?|sediments?|ores?|rivers?|lakes?|seawater|wastewater|groundwater|air|emi(?:t|ts|tted|ssions?)|methane|carbon dioxide|CO2|flour|sugar|butter|salt|dough|recipes?|coffee beans|rain\w*|snow|fertili[sz]er|pesticides?|crops?|plants?|seeds?|leaves|parcels?|letters?|payload|spacecraft|satellites?|thrusters?|parachutes?|apps?|iPads?|schools?|shops?|warehouses?|merg\w+|kernel|software|pools?|aquari(?:um|a)|lawns?|gardens?|machines?|factor(?:y|ies))\b/i;
/** A laboratory or works, where a medicine is a substance like others. */
const substance =
  /\b(?:chemists?|dissolv\w+|synthesi[sz]\w*|crystalli[sz]\w*|ethanol|molar|melting point|factor(?:y|ies)|distill\w*|chromatograph\w*|spectr\w+)\b/i;
const animals =
  /\b(?:mice|mouse|murine|rats?|rodents?|rabbits?|zebrafish|macaques?|monkeys?|primates?|dogs?|canine|cats?|feline|pigs?|piglets?|cows?|cattle|sheep|horses?|chickens?|hens|flies|Drosophila|worms?|elegans|cell lines?|cells|cultures?|in vitro|ex vivo)\b/i;
const oneDrug = new RegExp(`${numeral}\\s(?:[\\w-]{1,20}\\s)?${medicine.source}`, 'i');
const health =
  /\b(?:diabetics?|asthmatics?|gout|measles|chickenpox|epilep\w+|an[a]?emia|nausea|allerg\w+|sore|wounds?|burns|sprain\w*|fractur\w+|cramps?|cough|rash|eyes|nose|throat|infants?|newborns?|ibuprofen|\w{2,20}(?:itis|osis|algia|emia)|diseases?|symptoms?|pain|headaches?|migraines?|fever|infections?|cancers?|tumou?rs?|diabet\w+|asthma|hypertension|ventilation|blood pressure|cholesterol|stroke|heart (?:attack|failure|disease)|depression|anxiety|insomnia|therap(?:y|ies)|surger(?:y|ies)|vaccinations?|diagnos\w+|doctors?|physicians?|clinicians?|pharmacists?|pregnan\w+|patients?)\b/i;

const adverbs = /(?:\w{1,20}ly\s{1,3}|not\s{1,3}|best\s{1,3}|safest\s{1,3}){0,3}/.source;
const recommends = new RegExp(
  `\\b(?:is|are|be|being)\\s{1,3}${adverbs}(?:recommended|advised|advisable|contraindicated|better off|wise|best to|safest|indicated (?:for|in)|urged|encouraged|discouraged|cautioned|counsell?ed|warned (?:to|not|against)|told to|instructed to|suggested (?:for|in|to)|preferable|prefer?red (?:for|in|to|over)|to be (?:avoided|taken|given|stopped))\\b|\\b(?:is|are|be)\\s{1,3}best\\s{1,3}(?:\\w{2,20}ed|taken|given|kept|left|begun)\\b|\\b(?:doctors?|physicians?|clinicians?|guidelines?)\\s{1,3}(?:recommend|advise|urge|caution|discourage)\\b|\\b(?:do|does|would do) well to\\b|\\bbest (?:remedy|cure|medicine|treatment|therapy) for\\b`,
  'i',
);
/** Duties of offices and things are no advice: `must report`, `should have disclosed`. */
const ought =
  /\b(?:should|must|ought to|needs? to|has to|have to)\s{1,3}(?!(?:have(?! an?\b| the\b)|report|notify|publish|disclose|declare|register|apply|bind|cross|enter|reach|contain)\b)\w{2,20}\b/i;
const order =
  /(?:^|[.;:!?]\s{1,3})(?:please\s|always\s|never\s|do not\s|don't\s)?(?:take|avoid|stop taking|start taking|use|try|swallow|inject|drink|give|apply|rinse|gargle|mix|keep|rest|put|place|wear|wash|hold off|skip|elevate|switch to|cut down)\b(?!\s{1,3}(?:of|in|among|by|during|is|are|was|were|has|had)\b)/i;
const seeDoctor =
  /\b(?:ask|consult|see|talk to|speak (?:to|with)|contact|call)\s{1,3}(?:your|a|the)\s{1,3}(?:doctor|physician|GP|pharmacist|nurse|health\w{0,10} (?:provider|professional))\b/i;

/**
 * Texts of a claim or source, by member; whatever is no text is left to others. `at` is the pointer of the object. Repeats
 * in the patterns are bounded, so that they take time in proportion to a hostile text.
 */
export function medicalRules(
  texts: Readonly<Record<string, string | null | undefined>>,
  at = '',
): Violation[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text !== 'string') return [];
    const say = (code: string, [start, end]: Range, what: string, fix: string): Violation =>
      violation(code, `${at}/${name}#${start}-${end}`, `The ${name} ${what}.`, fix);
    const dosed = doseIn(text);
    const advised = medicalAdviceIn(text);
    return [
      ...(dosed === undefined
        ? []
        : [say('dose', dosed, 'names a dose for a person', "Leave the dose to a source's exact quote.")]),
      ...(advised === undefined
        ? []
        : [
            say(
              'medical_advice',
              advised,
              'gives medical advice',
              'State the finding, without a recommendation.',
            ),
          ]),
    ];
  });
}

type Range = readonly [start: number, end: number];

function doseIn(text: string): Range | undefined {
  const measured = amountIn(text);
  const counted = pieces.exec(text) ?? (frequency.test(text) ? oneDrug.exec(text) : null);
  if (measured === null && counted === null) return undefined;
  const drug = medicine.test(text);
  const often = frequency.test(text);
  const taken = person.test(text) && (given.test(text) || often);
  const notAPerson =
    (elsewhere.test(text) && !drug && !taken) ||
    (inertOnly.test(text) && !taken) ||
    (substance.test(text) && !taken && !often) ||
    (animals.test(text) && !person.test(text));
  if (notAPerson) return undefined;
  if (measured !== null) {
    const ofSomething = /^\s+of\s+\w/i.test(text.slice(measured.index + measured[0].length));
    if (taken || drug || intake.test(text) || perKilogram.test(text) || (often && !ofSomething))
      return range(measured);
  }
  if (counted === null) return undefined;
  const sure = /pill|capsule|caplet|lozenge|suppositor/i.test(counted[0]);
  return sure || drug || taken || often ? range(counted) : undefined;
}

/** The first amount that is no concentration. */
function amountIn(text: string): RegExpExecArray | null {
  for (const hit of text.matchAll(everyAmount))
    if (!concentration.test(text.slice(hit.index + hit[0].length))) return hit;
  return null;
}

function medicalAdviceIn(text: string): Range | undefined {
  const doctor = seeDoctor.exec(text);
  if (doctor !== null) return range(doctor);
  const instruction = beginsInstruction(text) ? /\S+/.exec(text) : null;
  const advice = recommends.exec(text) ?? ought.exec(text) ?? order.exec(text) ?? instruction;
  if (advice === null || !(medicine.test(text) || health.test(text))) return undefined;
  return range(advice);
}

function range(hit: RegExpExecArray): Range {
  return [hit.index, hit.index + hit[0].length];
}
