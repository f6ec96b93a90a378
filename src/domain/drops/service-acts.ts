/**
 * What the service does by itself, told in the grammar of rules (spec §1, rule 6): "when an ancestor is revoked, every
 * share below it ends", "slugs must match …". A script says what somebody then does; these say what is then so, and of
 * a thing. The verbs are the few of state, and the participles those of what a server does with a call.
 */
const readers =
  /\b(?:models?|assistants?|agents?|readers?|callers?|users?|bots?|llms?|ai|recipients?|holders?|somebody|someone|everybody|everyone|anyone|one)\b/i;
/** What a reader would make or do, under whatever verb. */
const deeds =
  /\b(?:repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|reports?|retr(?:y|ies)|repeats?|objections?|reviews?|steps?|actions?|calls? to|requests? to|confirmations?|apolog(?:y|ies)|chat|conversations?)\b/i;
const byServer =
  'refused|denied|rejected|recorded|answered|counted|kept|returned|closed|listed|stored|shown|charged|ignored|hidden|revoked|expired|spent|withheld';
const states =
  'valid|invalid|void|open|closed|free|final|empty|unlimited|private|public|read-only|same|first';
const stative = 'cannot|ends?|expires?|lapses?|stays?|remains?|costs?|counts?|lies?|stands?|has|have|holds?';

/** A condition, then a thing and what it then is. */
const consequent = new RegExp(
  String.raw`^[^,:]*[,:]\s*((?:(?!(?:is|are|${stative})\b)[\w'-]+\s+){1,6})(?:(?:${stative})\b|(?:is|are)\s+(?:not\s+|still\s+|also\s+)?(?:(?:${byServer})\b|\d|[a-z]+_[a-z_]+\b|(?:an? |the )?(?:${states})\b))`,
  'i',
);

/** Whether a conditional sentence tells what the service does, and nothing that somebody does. */
export function isServiceRule(sentence: string): boolean {
  const match = consequent.exec(sentence);
  if (match === null) return false;
  const told = sentence.slice(sentence.search(/[,:]/));
  return !readers.test(told) && !deeds.test(told) && !/\b(?:then|again|instead|next|to [a-z]+)\b/i.test(told);
}

/** What has to be so with a datum: its form, its size. */
const formRule =
  /\b(?:must|has to|have to|needs? to)\s+(?:not\s+)?(?:match|fit|exceed|contain|begin with|start with|end with|consist of|have|be (?:lower-?case|upper-?case|unique|empty|positive|absolute|shorter|longer|between|at (?:least|most)|below|above|within|valid|an? (?:integer|number|string|object|list|date|hash|url)|\d))(?=\W|$)/gi;

/** "slug (required)": what a field is. */
const formMark = /(?<=[:(]\s?)(?:required|mandatory)(?=\s*[).,;]|\s*$)/gi;

/** The text with what is demanded of data told as a fact about it. */
export function withoutFormRules(text: string): string {
  return readers.test(text) || deeds.test(text) || /\banswers?\b/i.test(text)
    ? text
    : text.replace(formRule, 'fits').replace(formMark, 'so');
}
