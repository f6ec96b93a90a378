/**
 * Lines that are not in English (spec §1, rules 2 and 6). The other rules of this folder are an English grammar, so a line
 * in another language is refused unless it is a plain description in German, French or Spanish. A language is recognized
 * by its letters and its function words.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Articles, pronouns, prepositions, auxiliaries and particles of request. */
const foreignFunctionWords = words(`
  der ich dem den ein eine einen einem einer und oder nicht ist sind wird werden mit zu zum zur auf aus bei nach
  durch fuer für über unter ihr ihre sie wir dich mich euch bitte kein keine jetzt dann wenn diese dieser dieses
  dein deine le les une et ou sont avec dans sur ne pas vous votre vos cette ces qui que ensuite veuillez merci
  puis leur il elle el los las una unas unos pero para por sobre usted sus tus este esta estos estas está gli uno
  della dello dei delle nel nella poi questo questa prego sono tuo tua os um uma uns umas nas pelo pela seu sua
  não isto agora depois você een voor niet naar zijn wordt deze dit jouw uw alstublieft och att det ett inte för
  med på av är som vänligen og ikke til się nie oraz proszę tego es del est ha han`);
/** Whatever no word of English is written with; names keep their accents. */
const foreignLetters = /[\p{L}--[A-Za-zªº]]/v;

export function findForeignLanguage(text: string): string | undefined {
  const foreign = foreignWords(text);
  return foreign !== undefined && isPlainDescription(text) ? undefined : foreign;
}

function foreignWords(text: string): string | undefined {
  const plain = text.replace(/\b[A-Z][A-Z0-9_]*_[A-Z0-9_]*\b/g, ' ');
  for (const [word] of plain.matchAll(/[\p{L}\p{M}']+/gu)) {
    if (word.length === 1) continue;
    if (!/\p{Script=Latin}/u.test(word)) return word;
    if (foreignLetters.test(word) && word === word.toLowerCase()) return word;
  }
  const found = (plain.match(/[\p{L}']+/gu) ?? []).filter((word) => foreignFunctionWords.has(word));
  if (found.length > 0) return found.join(' ');
  return undefined;
}

// Plain descriptions in German, French and Spanish

/** `\b` knows no letters with functionWords: where a word ends is told by what stands on both sides of it. */
const wordEdge = String.raw`(?:(?<![\p{L}\d])(?=[\p{L}\d])|(?<=[\p{L}\d])(?![\p{L}\d]))`;
function edged(refused: RegExp): RegExp {
  return new RegExp(refused.source.replaceAll(String.raw`\b`, wordEdge), 'iu');
}

interface Grammar {
  /** Small words that tell the language. */
  readonly functionWords: ReadonlySet<string>;
  /** Articles and other words that a description may begin with: what is told of is a thing. */
  readonly starters: ReadonlySet<string>;
  /** Persons, obligations, conditions, requests, readers, feelings, suspicion: anywhere. */
  readonly refused: RegExp;
}

const german: Grammar = {
  functionWords: words(
    'der die das dem den des ein eine einen und nicht ist sind wird für von mit auf bis zu zum zur am im um',
  ),
  starters:
    words(`der die das dem den des ein eine einer eines einem einen kein keine jeder jede jedes alle dieser diese
    dieses nur höchstens mindestens bis ab von mit ohne für in im am an auf nach unter über zu aus zwei drei vier fünf
    sechs sieben acht neun zehn weitere offene geschlossene`),
  refused: edged(
    /\b(?:ich|wir|uns|mir|mich|du|dich|dir|dein\w*|euch|euer|eure\w*|ihr|ihnen|ihre[mnrs]?|man|bitte|danke|soll\w*|muss|muß|musst|müss\w*|darf\w*|dürf\w*|möge\w*|lass\w*|wenn|falls|sobald|sofern|solange|bevor|nachdem|sonst|dann|zuerst|zunächst|anschließend|danach|sofort|schnell|dringend|unbedingt|niemals|unverzüglich|jetzt|nun|keinesfalls|\w*modell\w*|assistent\w*|agent\w*|leser\w*|empfänger\w*|nutzer\w*|vertrau\w*|sicher\w*|harmlos\w*|echt\w*|ehrlich\w*|gefahr\w*|gefährlich\w*|angriff\w*|injekt\w*|injection|manipul\w*|trick\w*|betrug|schädlich\w*|verdächtig\w*|versprochen|garantier\w*|erforderlich|notwendig|nötig|empfohlen|erwartet|gebeten|erwünscht|ignorier\w*)\b|\b(?:ist|sind|hat|haben|bleibt|bleiben)\b[^.;]*\bzu \w+n\b|\b\w+zu\w+en\b|[^.]\s+Sie\b|^Sie\b|[\p{Ll}ß]e[rl]?n\s*[.;]?$/iu,
  ),
};

const french: Grammar = {
  functionWords: words(
    'le la les un une des du et est sont dans pour par sur avec ne pas ce cette ces au aux en',
  ),
  starters:
    words(`le la les un une des du chaque aucun aucune tout toute tous toutes deux trois quatre cinq six sept huit
    neuf dix ce cette ces seul seule seules jusque depuis avec sans pour par dans sur sous en à de`),
  refused: edged(
    /\b(?:je|nous|notre|nos|moi|mon|ma|mes|tu|te|toi|ton|ta|tes|vous|votre|vos|on|\p{L}{2,}ez|veuill\w*|prière|prié\w*|merci|svp|do(?:it|ivent|is)|devr\w+|falloir|faut|faudra\w*|si|quand|lorsqu\w*|dès|sinon|alors|puis|ensuite|avant|après|abord|vite|rapidement|urgent\w*|immédiatement|maintenant|jamais|mod[èe]les?|assistant\w*|agents?|lect(?:eur|rice)s?|destinataires?|utilisat\w+|confiance|fiables?|s[ûu]re?s?|sécurisé\w*|inoffensi\w*|danger\w*|attaques?|injection\w*|manipul\w*|piège\w*|tromp\w*|malveill\w*|suspect\w*|légitim\w*|honnête\w*|garanti\w*|nécessaires?|obligatoires?|recommand\w*|attendu\w*|ignor\w*)\b|\b(?:est|sont|reste\w*) à \p{L}+(?:er|ir|re|oir)\b/iu,
  ),
};

const spanish: Grammar = {
  functionWords: words('el la los las un una unos unas y es son en para por con no del al de se su'),
  starters:
    words(`el la los las un una unos unas cada ningún ninguna todo toda todos todas dos tres cuatro cinco seis siete
    ocho nueve diez este esta estos estas ese esa solo sólo hasta desde con sin para por en de a del al`),
  refused: edged(
    /\b(?:yo|me|mi|mis|nosotr\w+|nos|nuestr\w+|tú|tu|tus|te|ti|usted\w*|vosotr\w+|vuestr\w+|favor|ruega\w*|ruego|gracias|deb\w+|hay|tiene[ns]? que|si|cuando|caso|luego|después|antes|entonces|primero|sino|rápid\w+|urgent\w+|inmediat\w+|ahora|nunca|jamás|siempre|modelos?|asistentes?|agentes?|lector\w*|destinatari\w+|usuari\w+|confianza|confiable\w*|fiable\w*|segur\w+|inofensiv\w*|peligr\w*|ataques?|inyecci\w*|manipul\w*|trampas?|engañ\w*|malicios\w*|sospech\w*|legítim\w*|honest\w*|garantiz\w*|necesari\w+|obligatori\w+|recomend\w*|ignor\w*)\b|\b(?:ha|han|has) de\b|\b\p{L}+(?:[aeiáéí]r|[áéí]\p{L}{1,3})(?:lo|la|los|las|le|me|se)\b/iu,
  ),
};

/** Whether a text in one of the three languages is made of plain descriptions only. */
function isPlainDescription(text: string): boolean {
  const found = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  const counted = [german, french, spanish].map((grammar) => ({
    grammar,
    functionWords: found.filter((word) => grammar.functionWords.has(word) || grammar.starters.has(word))
      .length,
  }));
  const [best] = counted.sort((a, b) => b.functionWords - a.functionWords);
  if (best === undefined || best.functionWords < 2) return false;
  if (best.grammar.refused.test(text)) return false;
  // The point behind a number ends no sentence: "am 14. März".
  const pieces = text.replace(/(\d)\.\s/g, '$1 ').split(/[.;:,]\s+|[.;:]$/);
  return pieces.every((piece) => isPlain(piece.trim(), best.grammar));
}

/** A piece that starters with a word for a thing, or with a bare word that takes no object. */
function isPlain(piece: string, { starters }: Grammar): boolean {
  const [first = '', second = ''] = piece.toLowerCase().match(/[\p{L}\d'_-]+/gu) ?? [];
  if (first === '' || starters.has(first)) return true;
  return second === '';
}
