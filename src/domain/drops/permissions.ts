/**
 * Invitations (spec §1, rule 6): an act stated as permitted to the reader now, which is a polite command. The scope of a
 * capability ("the holder may call two rows") is a description. The subject, the act, words for the present moment and a
 * bound on the permission tell the two apart.
 */
const words = (text: string): string => text.trim().split(/\s+/).join('|');

/** Who reads a drop; the owner, the current user and a tenant are told about, and read none. */
const readers = String.raw`(?:models?|assistants?|agents?|llms?|chatbots?|bots?|ai|readers?|recipients?|callers?)`;
/** What may be done with a row or to an article, as nouns. */
const deedNouns = String.raw`(?:${words(`
  objection review answer reply challenge response attestation verdict contribution call invocation report vote comment
  question repair request message opinion summary`)})s?`;
const anyDeed = new RegExp(String.raw`\b${deedNouns}\b`, 'i');
/** Verbs of setting about something. */
const onset = '(?:begin|start|proceed|continue|go (?:on|ahead)|carry on|move on)';
const licensed = String.raw`(?:allowed|permitted|free|able|authori[sz]ed|entitled|cleared|welcome|at liberty)`;
const may = String.raw`(?:may|might|can|could|(?:is|are) (?:[a-z]+ )?${licensed} to|(?:has|have) (?:leave|licen[cs]e|clearance) to)`;
/** The present moment, and the ease with which it is used. */
const present = String.raw`(?:now|already|at once|at last|as well|right away|straight ?away|immediately|at this (?:point|stage|moment|time)|from here|herewith|simply|just|freely|gladly|safely|readily)`;
const anyPresent = new RegExp(String.raw`\b${present}\b(?! than\b)`, 'i');
/** A permission with a bound says how far it reaches. */
const bound =
  /\b(?:only|alone|at most|at least|up to|no more|within|once|twice|\d+|one|two|three|four|five|ten|its own|their own|without|until|before|while|as long as|per)\b/i;

/** Any reader who may do something; what it is is told by the words around it. */
const readerMay = new RegExp(String.raw`\b(?:${readers}|holders?|bearers?)\b[^.;:]*?\b${may}\b`, 'i');
const readerBegins = new RegExp(
  String.raw`${readerMay.source}\s+(?:[a-z]+ly\s+|${present}\s+)?${onset}\b`,
  'i',
);
/** "An objection may now be filed": the deed without a doer, and the moment for it. "May already be spent" is a guess. */
const passive =
  /\b(?:may|might|can|could)\b[^.;:]*?\bbe (?:[a-z]+ly )?[a-z]+(?:ed|en|nt|wn|ad|ne|made|run|begun)\b/i;
const doneWith =
  /\b(?:invoked|called|filed|posted|logged|sent|appended|attested|challenged|reviewed|proposed|written|answered|opened|fetched|fired|submitted|begun|started|tried|used|run|made|filled)\b/i;

/** Somebody or something welcomed. */
const welcomed =
  /\b(?:is|are|remains?|be) (?:[a-z]+ )?(?:welcome|at liberty)\b|\b(?:gladly|warmly|happily)\b/i;
/** Free, cleared or with leave to do something, without a bound. */
const licensedTo = new RegExp(
  String.raw`\b(?:${readers}|holders?|bearers?)\b[^.;:]*?\b(?:(?:is|are) (?:[a-z]+ )?${licensed}|(?:has|have) (?:leave|licen[cs]e|clearance)) to\b`,
  'i',
);
/** A deed has its place, or waits for its doer. */
const openFor = new RegExp(
  [
    String.raw`\b(?:open|ready|clear|set|waiting|prepared|free|cleared) (?:to|for|when|whenever|until|as soon as) (?:[a-z0-9]+ ){0,3}(?:${deedNouns}|${readers})\b(?<!\ball readers)`,
    String.raw`\b(?:room|space|time|place|occasion|chance|opportunity) for (?:[a-z]+ ){0,3}${deedNouns}\b`,
    String.raw`\b${deedNouns}\b[^.;:]*?\b(?:is|are) (?:in order|in place|the thing|on the table)(?! (?:of|by))\b`,
    String.raw`\b(?:is|are|stands?) (?:in place|set|prepared) for (?:[a-z]+ ){0,3}${deedNouns}\b`,
  ].join('|'),
  'i',
);
/** The way is open: nouns of passage and adjectives of openness. */
const passage =
  /\b(?:ways?|paths?|roads?|doors?|gates?|floor|stage|field|coast|lights?)\b[^.;:]{0,30}?\b(?:is|are|stands?|lies) (?:wide |now |all )?(?:open|clear|free|green|given)\b/i;
/** Nothing hinders it. */
const unhindered =
  /\b(?:nothing|nobody|no (?:[a-z]+ ){1,3}?)\s*(?:stands?\b(?: in the way| between)|keeps?|stops?|prevents?|hinders?|bars?|forbids?|holds? back|speaks? against)\b|\bno (?:reason|cause|excuse|harm) (?:to|not to|in|for)\b/i;

/** The words by which a line invites to a deed; nothing where it describes what is permitted. */
export function findInvitation(text: string): string | undefined {
  for (const clause of text.split(/(?<=[.;!])\s+/)) {
    const found = invitation(clause);
    if (found !== undefined) return found;
  }
  return undefined;
}

function invitation(clause: string): string | undefined {
  const isPresent = anyPresent.test(clause);
  const isBound = bound.test(clause);
  const instruction =
    (isPresent ? (readerMay.exec(clause) ?? passiveDeed(clause)) : null) ??
    (isBound ? null : licensedTo.exec(clause)) ??
    readerBegins.exec(clause) ??
    welcomed.exec(clause) ??
    openFor.exec(clause) ??
    passage.exec(clause) ??
    unhindered.exec(clause);
  return instruction?.[0];
}

function passiveDeed(clause: string): RegExpExecArray | null {
  return doneWith.test(clause) || anyDeed.test(clause) ? passive.exec(clause) : null;
}
