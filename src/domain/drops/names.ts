/**
 * Names and labels (spec §1, rule 4: data): a label with its value ("Open claims at the time of minting: 14"), a request
 * line, a position in a count, a title. They are removed before commands are searched, since a verb inside a name is no
 * command. Values behind labels are recognized by their form, never by their words.
 */
import { objectStarters, verbNouns, verbs } from './vocabulary.ts';

/** Numbers, times, keys of rows, media types, names of algorithms, states. */
const datum =
  /^(?:[#±<>≤≥~]?\s?\d|[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|[a-z]+\/[a-z0-9.+-]+\b|[A-Z]{2,}-\d|(?:true|false|none|open|closed|pending|active|inactive|expired|revoked|valid|unlimited|unknown|public|private|empty|low|high|on|off)\s*(?:[.,;(]|$)|\{\})/;
/** The line that a request begins with, as documentation shows it. */
const requestLine = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+(?=[/{])\S*/;
/** "count 2 of 3", "Copy 3 of 5". */
const place = /^[A-Za-z]+(?: [a-z]+)? \d+ of \d+(?=$|[.,;)])/;
/** "Quote length up to 2,000 characters". */
const measured =
  /^[A-Z][a-z]+ [a-z]+[^s\W](?: [a-z]+)? (?:up to|of|below|above|at most|at least|since|until) [\d,.]+\b/;
/** Words that say that what follows is the name of a work. */
const naming =
  /\b(?:titled?|entitled|articles?|sources?|headings?|chapters?|series|books?|papers?|named|called)\b\s*:?\s*$/i;

/** The text, each name in it replaced by a noun that is no verb. */
export function withoutNames(text: string): string {
  return text
    .replace(requestLine, 'Thing')
    .replace(place, 'Thing')
    .replace(measured, 'Thing')
    .replace(/^([^:]{1,60}):\s*(.*)$/, (line, label: string, value: string) =>
      datum.test(value) && isLabel(label) ? `Thing: ${value}` : line,
    );
}

/** A verb before a determiner or a pronoun has an object, and is no label. */
function isLabel(label: string): boolean {
  const [first = '', second = ''] = label.toLowerCase().match(/[a-z0-9_'-]+/g) ?? [];
  return !objectStarters.has(second) && !/^(?:please|kindly|do|don't|never|always|not)$/.test(first);
}

/** A title is told by its form and by the word that says so; what is in it is nobody's order. */
export function withoutTitles(text: string): string {
  const quoted = text.replace(/["“]([^"”]{3,})["”]/g, (whole, inner: string, at: number) =>
    naming.test(text.slice(0, at)) && isTitle(inner) ? '"Name"' : whole,
  );
  return quoted.replace(/^([A-Za-z ]{1,20}): (.+)$/, (line, label: string, value: string) =>
    naming.test(`${label}:`) && isTitle(value) ? `${label}: Name` : line,
  );
}

/** A verb with its object, as no title has it: "Call The Endpoint". */
const ordered = /^\w+ (?:the|an?|this|that|these|those|it|them|all|every|each|any)\b/i;

/** All longer words with a capital, and none of the pieces begins with a verb that is no noun, or has an object. */
function isTitle(text: string): boolean {
  const words = text.match(/[\p{L}\d'-]+/gu) ?? [];
  if (words.length < 2 || words.some((word) => word.length > 3 && /^\p{Ll}/u.test(word))) return false;
  return text
    .split(/[:.;!?–—]\s*/)
    .map((piece) => piece.replace(/^[^\p{L}\d]+/u, ''))
    .every((piece) => !verbs.has(/^\w*/.exec(piece.toLowerCase())?.[0] ?? '') && !isOrder(piece));
}

function isOrder(piece: string): boolean {
  return ordered.test(piece) && verbNouns.has(/^\w*/.exec(piece.toLowerCase())?.[0] ?? '');
}
