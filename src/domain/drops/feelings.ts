/**
 * Rule 2 of spec §1, "neutral": a record of a capability neither likes nor hopes, praises nor thanks, presses nor keeps
 * secrets. Words of feeling, of judgement and of haste are a class of their own, and none of them describes a token.
 */
const feelings =
  /\b(?:glad|happy|happier|pleased|delighted|grateful|thankful|thanks?|honou?red|honou?r|proud|sorry|lovely|wonderful|great|nice|excellent|amazing|awesome|brilliant|perfect|fantastic|sharp(?:er)?|wise|clever|smart|brave|lazy|coward\w*|stupid|foolish|dear(?:est)?|beloved|friendly|kind(?:ly|ness)|sincere\w*|cordial\w*|hope(?:s|d|fully)?|wish(?:es|ed)?|eager\w*|excit\w+|love[sd]?|hate[sd]?|enjoy\w*|appreciat\w+|welcome[sd]?|delightful|fun|pity|shame|luck\w*|reward\w*|bonus|prizes?|bravo|congratulations|applause|crucial\w*|vital\w*|urgent\w*|desperate\w*|precious|deserve[sd]?|special treat\w*)\b/i;

const secrecy =
  /\b(?:(?:stays?|remains?|kept|keeps?|keeping)\s+(?:strictly\s+|absolutely\s+|a\s+)?(?:secret|confidential|quiet|silent|discreet)|(?:hears?|knows?|learns?|sees?|told)\s+(?:nothing|none)|nobody\s+(?:hears|knows|learns)|not a word|between us|in confidence|off the record|discreet\w*|silence)\b/i;

/** Praise and blame as nouns. */
const judgements =
  /\bis an? (?:failure|mistake|waste|shame|duty|breach|violation|offen[cs]e|sin|crime|win|triumph|privilege|disgrace|relief)\b/i;
/** A record does not raise its voice. */
const exclamation = /\w\s*!(?=\s|$|[")])/;

/** Somebody who is met: a record has holders, owners and callers, and no persons. */
const company = /\b(?:person|mind|fellow|friend|partner|companion|guest|soul|human being|screen)s?\b/i;
const nobody = /\b(?:no|any|a natural) person\b/i;

export function feeling(text: string): string | undefined {
  return (
    feelings.exec(text)?.[0] ??
    exclamation.exec(text)?.[0] ??
    judgements.exec(text)?.[0] ??
    secrecy.exec(text)?.[0] ??
    company.exec(text.replace(nobody, ''))?.[0]
  );
}
