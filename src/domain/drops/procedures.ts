/**
 * Procedures (spec §1, rule 6): a condition with its consequence, in either order, or steps in sequence. A description says
 * what is; a procedure says what comes after what.
 */
import { isServiceRule } from './obligation.ts';

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
  /\bfirst\b[^.]*[,;]\s*(?:and\s+)?(?:then|next|second)\b|\bstep (?:one|two|three|\d+)\b|^(?:first|second|third|next|then|finally|lastly|afterwards?|thereafter|subsequently|later|ultimately)\s*[,:]|\bfollowed by\b[^.]*\bthen\b|,\s+(?:and\s+)?then\b/i;

/** What comes of what: a description has no consequences, whatever the verb that tells them. */
const consequence =
  /\b(?:leads?|led|leading) (?:straight |directly |on )?to (?:an? |the |another )?(?:call|objection|repair|retry|report|answer|review|edit|vote|receipt|contribution|challenge|request)s?\b|\b(?:is|are) (?:then |always |promptly )?followed by\b|\bcalls? for\b|\bcomes? (?:next|into play|instead|after that)\b|\bmeans? (?:that |another |the |an? )?[a-z]+ (?:call|is|are|goes|gets)\b|\bmeans? another\b|\b(?:triggers?|prompts?|warrants?|entails?) (?:an?|the|another)\b|\b(?:tries|attempts|minutes|seconds|hours), and (?:after that|then)\b/i;
/** Somebody is informed, or something is done once more: what happens, not what is. */
const happening =
  /\bgo(?:es)? (?:in|to|into|out|back|on)\b[^.;]*\b(?:user|chat|reply|prompt)\b|\b(?:owner|user|operator|caller|issuer)s? (?:is|are|gets?) (?:then )?(?:told|asked|informed|notified|alerted|warned|consulted)\b|\b(?:is|are|gets?) (?:sent|called|read|repeated|made|tried|invoked|fired|posted|asked|opened) again\b|\b(?:is|are|gets?) [a-z]+ (?:anew|afresh|once more|instead|straight away)\b/i;
/** A condition behind what follows from it. */
const behind =
  /\b(?:follows?|comes|goes out), (?:unless|if|when|once|as soon)\b|\b(?:re-?\w+|sent|called|read|tried|made|asked|opened) (?:again|anew|once more|afresh)\b|\b(?:whenever|in case|as soon as|every time|each time|provided that)\b/i;
/** "refused: …; accepted: …": a table of cases, each with what it brings. */
const cases =
  /\b(?:[1-5]\d\d|refus\w+|accept\w+|reject\w+|denied|fail\w*|succe\w+|stale|missing|expired|valid|invalid|true|false|yes|no)\b[^:;.]{0,20}:[^;.]*[;.,][^:]{0,40}\b(?:[1-5]\d\d|refus\w+|accept\w+|reject\w+|denied|fail\w*|succe\w+|stale|missing|expired|valid|invalid|true|false|yes|no)\b[^:;.]{0,20}:/i;

/** A deed set before another, or in place of it. */
const placed = /^(?:rather than|instead of|without|before|after|by|on|upon|while) [a-z]{2,}ing\b[^.;]*,/i;

export function findProcedure(text: string): string | undefined {
  const ordered = steps.exec(text);
  if (ordered !== null) return ordered[0];
  const story =
    consequence.exec(text) ??
    happening.exec(text) ??
    behind.exec(text) ??
    cases.exec(text) ??
    placed.exec(text);
  if (story !== null) return story[0];
  for (const sentence of text.split(/(?<=[.!;])\s+/)) {
    const match =
      ifThen.exec(sentence) ??
      (isServiceRule(sentence) || /^(?:where|when) \w+:/i.test(sentence) ? null : condition.exec(sentence)) ??
      onOutcome.exec(sentence) ??
      elsewise.exec(sentence);
    if (match !== null) return match[0];
  }
  return undefined;
}
