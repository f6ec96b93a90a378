/**
 * Rule 6 of spec §1, scripts: a condition and what follows from it, in whichever order the sentence has them, or steps
 * in an order. A description says what is; a script says what comes after what.
 */
const outcome = String.raw`(?:\d{3}|(?:[a-z_-]+ ){0,3}(?:failure|error|refusal|denial|rejection|success|receipt|expiry|conflict|mismatch|timeout|response|reply|answer|completion|arrival|reading))`;

const condition =
  /^(?:and |but |or |so |only |even |just )*(?:if|when|whenever|unless|once|should (?:the|a|an|any|this|that|it)|(?:were|had) (?:the|a|an|any|this|that|it)|as soon as|as long as|so long as|in case|where|in the absence|in the face|given|depending on|with (?:an? )?(?:[a-z]+ed|missing|stale|invalid)|in the event|in that case|in this case|provided|providing|assuming|supposing|otherwise|else|upon|after|before|until|while|wherever|every time|each time|the (?:moment|minute|instant|second)|failing|absent|barring|lacking|whoever|whatever|anyone who|anybody who|those who|no matter)\b[^.;]*[,:]/i;
const onOutcome = new RegExp(
  String.raw`^(?:on|upon|at|following|for|in|with)\s+(?:a|an|any|the|each|every)?\s*${outcome}\s*[,:]`,
  'i',
);
const ifThen = /\bif\b[^.;]*\bthen\b|\b(?:if|elif|else if)\s*\(|=>|->\s*\w+|→|\belse\b/i;
const elsewise = /\b(?:in (?:which|that) case|or else|if (?:not|so|need be|necessary|in doubt))\b/i;
const steps =
  /\bfirst\b[^.]*[,;]\s*(?:and\s+)?(?:then|next|second)\b|\bstep (?:one|two|three|\d+)\b|^(?:first|second|third|next|then|finally|lastly|afterwards?|thereafter|subsequently|later|ultimately)\s*[,:]|\bfollowed by\b[^.]*\bthen\b/i;

export function scripted(text: string): string | undefined {
  const ordered = steps.exec(text);
  if (ordered !== null) return ordered[0];
  for (const sentence of text.split(/(?<=[.!;])\s+/)) {
    const match =
      ifThen.exec(sentence) ??
      condition.exec(sentence) ??
      onOutcome.exec(sentence) ??
      elsewise.exec(sentence);
    if (match !== null) return match[0];
  }
  return undefined;
}
