/**
 * Rule 2 of spec §1: whether a line addresses somebody, or speaks as somebody. By persons, forms of address, and
 * sentences in which the text itself or whoever sent it wants something; a question asks somebody too.
 */
const persons =
  /\b(?:you|your|yours|yourself|yourselves|thou|thee|thy|i|i'm|me|my|mine|myself|we|us|our|ours|ourselves|let's|y'all|ya|one's|oneself)\b/i;
/** "One" as whoever reads: before a verb of a person. */
const oneself =
  /(?<!\b(?:the|this|that|each|every|other|another|last|next|first|second|third|\w+er|\w+est)\s)\bone\s+(?:can|could|would|might|needs|wants|should|reads|sees|finds|(?:is|has) \w+ed)\b/i;
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

export function addressed(text: string): string | undefined {
  return (
    persons.exec(text)?.[0] ??
    oneself.exec(text)?.[0] ??
    roles.exec(text)?.[0] ??
    greetings.exec(text)?.[0] ??
    addressees.exec(text)?.[0] ??
    wishes.exec(text)?.[0] ??
    requests.exec(text)?.[0] ??
    /[^?]{0,40}\?(?=\s|$)/.exec(text)?.[0]
  );
}
