/** English words whose inflections follow no rule, base form first; and words that only look inflected. */
export const irregularNouns: readonly string[] = [
  'man men', 'woman women', 'child children', 'foot feet', 'tooth teeth', 'mouse mice', 'goose geese', 'person people',
  'index indices indexes', 'matrix matrices', 'vertex vertices', 'appendix appendices', 'analysis analyses', 'basis bases',
  'hypothesis hypotheses', 'thesis theses', 'crisis crises', 'diagnosis diagnoses', 'axis axes', 'phenomenon phenomena',
  'criterion criteria', 'datum data', 'medium media', 'bacterium bacteria', 'virus viruses', 'nucleus nuclei', 'stimulus stimuli',
  'locus loci', 'fungus fungi', 'leaf leaves', 'life lives', 'knife knives', 'half halves', 'wolf wolves', 'wife wives', 'shelf shelves',
  'mitochondrion mitochondria', 'ovum ova', 'antenna antennae', 'alga algae', 'vertebra vertebrae', 'larva larvae', 'ox oxen',
];

export const irregularVerbs: readonly string[] = [
  'go goes went gone', 'do does did done', 'have has had', 'say said', 'make made', 'take took taken', 'give gave given',
  'get got gotten', 'come came', 'become became', 'see saw seen', 'know knew known', 'think thought', 'find found', 'tell told',
  'leave left', 'keep kept', 'begin began begun', 'show showed shown', 'hear heard', 'run ran', 'bring brought', 'write wrote written',
  'sit sat', 'stand stood', 'lose lost', 'pay paid', 'meet met', 'lead led', 'grow grew grown', 'speak spoke spoken', 'spend spent',
  'win won', 'teach taught', 'buy bought', 'send sent', 'fall fell fallen', 'build built', 'break broke broken', 'drive drove driven',
  'catch caught', 'draw drew drawn', 'choose chose chosen', 'rise rose risen', 'hold held', 'sell sold', 'eat ate eaten', 'fight fought',
  'fly flew flown', 'forget forgot forgotten', 'freeze froze frozen', 'hide hid hidden', 'sing sang sung', 'sink sank sunk',
  'sleep slept', 'steal stole stolen', 'swim swam swum', 'throw threw thrown', 'wear wore worn', 'feel felt', 'mean meant', 'seek sought',
  'shrink shrank shrunk', 'spring sprang sprung', 'strike struck', 'swear swore sworn', 'understand understood', 'wake woke woken',
  'bind bound', 'bite bit bitten', 'blow blew blown', 'breed bred', 'deal dealt', 'dig dug', 'feed fed', 'forbid forbade forbidden',
  'shoot shot', 'stick stuck', 'swing swung', 'undergo undergoes underwent undergone', 'arise arose arisen', 'overcome overcame',
  'withdraw withdrew withdrawn', 'uphold upheld', 'overthrow overthrew overthrown', 'undertake undertook undertaken', 'weave wove woven', 'read', 'beat beaten', 'die died', 'lie lied', 'tie tied',
  'cut', 'put', 'set', 'hit', 'shut', 'spread', 'shed', 'split',
];

/** Ending in s without being a plural or a third person; ending in ed or ing without being a verb's form. */
export const uninflected: ReadonlySet<string> = new Set(
  `news means series species physics mathematics economics politics ethics dynamics genetics mechanics statistics diabetes
  rabies measles always perhaps whereas besides less unless across towards this his its thus plus minus versus is was has as us
  does goods customs arms glasses gas bus lens atlas bias chaos cosmos basis axis alias canvas christmas texas kansas paris
  need needs seed speed breed bleed feed indeed exceed proceed hundred sacred naked red bed led shed embed thing things nothing
  something anything everything king kings ring rings spring springs string strings bring brings wing wings morning evening during
  ceiling sterling species herring wedding`
    .trim()
    .split(/\s+/),
);
