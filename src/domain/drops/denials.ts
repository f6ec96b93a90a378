/**
 * Rule 6 of spec §1, denials: a line that protests its innocence, whether it denies something bad or asserts something
 * good about itself. Suspicion is named by nouns and verbs of harm, assurance by adjectives of trust.
 */
const suspicions =
  /\b(?:jail-?break\w*|inject(?:ion|ions|ed|ing)|malicious\w*|malware|virus(?:es)?|exploit\w*|phish\w*|scam\w*|manipulat\w*|decei\w*|decepti\w*|trick\w*|attack\w*|hack\w*|spam\w*|trap\w*|bait\w*|decoy\w*|prank\w*|agenda|smuggl\w*|leak(?:s|ed|ing)?|steal\w*|stolen|hijack\w*|compromis\w*|overrid\w*|circumvent\w*|mislead\w*|misled|abus\w*|fraud\w*|hidden|suspicious\w*|dangerous\w*|harm\w*|unsafe|threat\w*|nefarious|sinister|coerc\w*|social engineering|backdoor\w*|covert\w*|ulterior|fake|hoax|alarm\w*|(?:bad|evil|ill|dark|dubious|shady|wrong) (?:plans?|intent\w*|motives?|purposes?|faith|actors?))\b/i;
const assurances =
  /\b(?:safe|safely|harmless|legitimate\w*|authentic(?:ally|ity)?|clean(?:ed)?|risk-?free|hundred per ?cent|100 ?%|vouch\w*|ordinary|whatsoever|fine(?!-)|okay|reputable|credible|aboveboard|above board|good faith|well-meaning|well-intentioned|bona fide|perfectly|entirely|completely|fully|totally|absolutely|legit|trustworthy|benign|genuine\w*|innocent|innocuous|honest\w*|truly|trust\w*|good intentions|approved by|vetted|rest assured|assured|worry|worried|worries|fear|afraid|concern(?:ed|s)?|reassur\w*|promise[sd]?|guarantee[sd]? safe|nothing (?:to (?:fear|hide|lose)|out of the ordinary|bad|wrong|strange|unusual)|normal and)\b/i;
const deniedOrders =
  /\b(?:not|no|never|isn't|aren't|doesn't|don't|without|neither)\b[^.;]{0,40}\b(?:instructions?|commands?|orders?|prompts?)\b/i;
/** Harm or doubt, denied in words that are harmless by themselves. */
const deniedHarm =
  /\b(?:no|not|never|nothing|nobody|none|without|isn't|aren't|won't|doesn't|cannot|neither)\b(?:\s+[\w'-]+){0,4}?\s+(?:tricks?|strings|catch|hurt|risks?|dangers?|damage|trouble|reasons?|cause|need|doubts?|harm|test|joke|game|scheme|pressure|persuasion|lies?|deception)\b/i;

/** Others, named as proof that nothing is wrong. */
const vouching =
  /\b(?:teams?|experts?|auditors?|engineers?|people|users|companies|others|everybody|everyone|professionals|authorities|reviewers)\b[^.;]{0,30}\b(?:approved?|cleared?|vetted|endorsed?|certified|uses?|used|trust(?:ed)?|tested|rel(?:y|ied) on)\b/i;

/** Somebody who is said to have agreed already. */
const consent =
  /\b(?:user|owner|operator|human|team)s?\s+(?:has |have |had )?(?:already |fully |explicitly )?(?:agreed|consented|approved of|signed off|okayed|authori[sz]ed|permitted|allowed)\b|\busers? (?:already |surely |certainly )?(?:knows?|understands?|expects?|agrees?|consents?)\b|\bpolicy (?:allows|permits)\b|\b(?:confirmation|consent|approval|permission)s?\b[^.;]*\b(?:skipped|waived|assumed|implied|superfluous|unnecessary|optional|given|granted already|not needed)\b/i;

export function defensive(text: string): string | undefined {
  return (
    suspicions.exec(text)?.[0] ??
    assurances.exec(text)?.[0] ??
    deniedOrders.exec(text)?.[0] ??
    deniedHarm.exec(text)?.[0] ??
    consent.exec(text)?.[0] ??
    vouching.exec(text)?.[0]
  );
}
