/**
 * Tone of a line (spec §1, rules 2 and 6): a capability record is neutral. It expresses no feeling, judgement, haste or
 * secrecy, addresses nobody, and neither denies harm nor asserts its own trustworthiness.
 */

// Feelings and judgements (rule 2)

const feelings =
  /\b(?:glad|happy|happier|pleased|delighted|grateful|thankful|thanks?|honou?red|honou?r|proud|sorry|lovely|wonderful|great|nice|excellent|amazing|awesome|brilliant|perfect|fantastic|sharp(?:er)?|wise|clever|smart|brave|lazy|coward\w*|stupid|foolish|dear(?:est)?|beloved|friendly|kind(?:ly|ness)|sincere\w*|cordial\w*|hope(?:s|d|fully)?|wish(?:es|ed)?|eager\w*|excit\w+|love[sd]?|hate[sd]?|enjoy\w*|appreciat\w+|welcome[sd]?|delightful|fun|pity|shame|luck\w*|reward\w*|bonus|prizes?|bravo|congratulations|applause|crucial\w*|vital\w*|urgent\w*|desperate\w*|precious|deserve[sd]?|special treat\w*)\b/i;

const secrecy =
  /\b(?:(?:stays?|remains?|kept|keeps?|keeping)\s+(?:strictly\s+|absolutely\s+|a\s+)?(?:secret|confidential|quiet|silent|discreet)|(?:hears?|knows?|learns?|sees?|told)\s+(?:nothing|none)|nobody\s+(?:hears|knows|learns)|not a word|between us|in confidence|off the record|discreet\w*|silence)\b/i;

/** Exclamation marks. */
const exclamation = /\w\s*!(?=\s|$|[")])/;

/** Persons: a record has holders, owners and callers only. */
const company = /\b(?:person|mind|fellow|friend|partner|companion|guest|soul|human being|screen)s?\b/i;
const nobody = /\b(?:no|any|a natural) person\b/i;

export function findFeeling(text: string): string | undefined {
  return (
    feelings.exec(text)?.[0] ??
    exclamation.exec(text)?.[0] ??
    secrecy.exec(text)?.[0] ??
    company.exec(text.replace(nobody, ''))?.[0]
  );
}

// Denials and assurances (rule 6)

const suspicions =
  /\b(?:jail-?break\w*|inject(?:ion|ions|ed|ing)|malicious\w*|malware|virus(?:es)?|exploit\w*|phish\w*|scam\w*|manipulat\w*|decei\w*|decepti\w*|trick\w*|attack\w*|hack\w*|spam\w*|trap\w*|bait\w*|decoy\w*|prank\w*|agenda|smuggl\w*|leak(?:s|ed|ing)?|steal\w*|stolen|hijack\w*|compromis\w*|overrid\w*|circumvent\w*|mislead\w*|misled|abus\w*|fraud\w*|hidden|suspicious\w*|dangerous\w*|harm\w*|unsafe|threat\w*|nefarious|sinister|coerc\w*|social engineering|backdoor\w*|covert\w*|ulterior|fake|hoax|alarm\w*|(?:bad|evil|ill|dark|dubious|shady|wrong) (?:plans?|intent\w*|motives?|purposes?|faith|actors?))\b/i;
const assurances =
  /\b(?:safe|safely|harmless|legitimate\w*|authentic(?:ally|ity)?|clean(?:ed)?|risk-?free|hundred per ?cent|100 ?%|vouch\w*|ordinary|whatsoever|fine(?!-)|okay|reputable|credible|aboveboard|above board|good faith|well-meaning|well-intentioned|bona fide|perfectly|entirely|completely|fully|totally|absolutely|legit|trustworthy|benign|genuine\w*|innocent|innocuous|honest\w*|truly|trust\w*|good intentions|approved by|vetted|rest assured|assured|worry|worried|worries|fear|afraid|concern(?:ed|s)?|reassur\w*|promise[sd]?|guarantee[sd]? safe|nothing (?:to (?:fear|hide|lose)|out of the ordinary|bad|wrong|strange|unusual)|normal and)\b/i;
/** Harm or doubt, denied in words that are harmless by themselves. */
const deniedHarm =
  /\b(?:no|not|never|nothing|nobody|none|without|isn't|aren't|won't|doesn't|cannot|neither)\b(?:\s+[\w'-]+){0,4}?\s+(?:tricks?|strings|catch|hurt|risks?|dangers?|damage|trouble|reasons?|cause|need|doubts?|harm|test|joke|game|scheme|pressure|persuasion|lies?|deception)\b/i;

/** Third parties named as proof. */
const vouching =
  /\b(?:teams?|experts?|auditors?|engineers?|people|users|companies|others|everybody|everyone|professionals|authorities|reviewers)\b[^.;]{0,30}\b(?:approved?|cleared?|vetted|endorsed?|certified|uses?|used|trust(?:ed)?|tested|rel(?:y|ied) on)\b/i;

/** Claimed consent. */
const consent =
  /\b(?:user|owner|operator|human|team)s?\s+(?:has |have |had )?(?:already |fully |explicitly )?(?:agreed|consented|approved of|signed off|okayed|authori[sz]ed|permitted|allowed)\b|\busers? (?:already |surely |certainly )?(?:knows?|understands?|expects?|agrees?|consents?)\b|\bpolicy (?:allows|permits)\b|\b(?:confirmation|consent|approval|permission)s?\b[^.;]*\b(?:skipped|waived|assumed|implied|superfluous|unnecessary|optional|given|granted already|not needed)\b/i;

export function findDefensiveness(text: string): string | undefined {
  return (
    suspicions.exec(text)?.[0] ??
    assurances.exec(text)?.[0] ??
    deniedHarm.exec(text)?.[0] ??
    consent.exec(text)?.[0] ??
    vouching.exec(text)?.[0]
  );
}

// Addressing the reader, speaking as somebody, or asking (rule 2)

const persons =
  /\b(?:you|your|yours|yourself|yourselves|thou|thee|thy|i|i'm|me|my|mine|myself|we|us|our|ours|ourselves|let's|y'all|ya|one's|oneself)\b/i;
/** Lines of a conversation, told by who speaks. */
const roles =
  /^(?:system|developer|assistant|human)(?: (?:prompt|message|note|turn))?\s*:|<\|\w+\|>|\[\/?inst\]/i;
const greetings =
  /^(?:dear|hello|hi|hey|greetings|attention|welcome|note to|to the|to all|to any|for the attention|to whom|to who|o)\b/i;

const readers = String.raw`(?:model|assistant|agent|ai|llm|bot|chatbot|reader|friend|colleague|folk|everyone|team|claude|gpt|chatgpt|gemini|copilot)s?`;
/** "Model, …", "…, assistant.", "ok agent:". */
const addressees = new RegExp(
  String.raw`(?:^|[,;]\s*|\b(?:oh|ok|okay|so|well)\s+)${readers}\s*[,:!]|,\s*(?:(?:my|dear|good)\s+)?${readers}\s*[.!]?$`,
  'i',
);

/** The text or its sender, wanting something of whoever reads. */
const wishes = new RegExp(
  [
    String.raw`\b(?:this|the|its|whoever)\s+(?:\w+\s+)?(?:message|note|text|prompt|letter|line|drop|owner|operator|author|sender|user|team|publisher|holder of this|people behind \w+)\s+(?:\w+ly\s+|(?:would|will|may|might)\s+|also\s+)?`,
    '(?:asks?|wants?|wishes|wish|hopes?|expects?|needs?|invites?|urges?|requests?|begs?|like|likes|love|loves|prefers?|recommends?|suggests?|encourages?|',
    'demands?|instructs?|tells?|advises?|counts? on|relies on|looks? forward|appreciates?|welcomes?|',
    '(?:is|are|was|be) (?:[a-z]+ly )?(?:looking|hoping|waiting|counting|asking|grateful|glad|keen|curious))',
    String.raw`\b`,
  ].join(''),
  'i',
);

/** A question without its mark: an auxiliary before its subject, or the beginnings that only requests have. */
const requests =
  /^(?:(?:could|would|can|will|might|shall|may)\s+(?:the|a|an|this|that|it|someone|anyone|somebody|anybody|one)\b|why not|how about|what about|care to|any chance|mind\s+[a-z]+ing)\b/i;

export function findAddress(text: string): string | undefined {
  return (
    persons.exec(text)?.[0] ??
    roles.exec(text)?.[0] ??
    greetings.exec(text)?.[0] ??
    addressees.exec(text)?.[0] ??
    wishes.exec(text)?.[0] ??
    requests.exec(text)?.[0] ??
    /[^?]{0,40}\?(?=\s|$)/.exec(text)?.[0]
  );
}
