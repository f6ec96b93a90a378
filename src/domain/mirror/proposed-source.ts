/**
 * Reads a source out of a mirror contribution (contract §5): its body is a JSON source without further members, or a
 * text with a URL and the exact quote in quotation marks. A text without a marked quote is refused, so that a
 * proposer's own words never become an exact quote.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import { trimEndOf } from '../../kernel/text.ts';
import type { SourceInput } from '../../model/source.ts';

const members = [
  'type',
  'url',
  'title',
  'quote',
  'summary',
  'platform',
  'software_class',
  'source_role',
  'accessed_at',
] as const;

const known: ReadonlySet<string> = new Set([...members, 'quality_score']);

const titleCharsMax = 200;

/** A source as it could be appended, both where it is proposed and where it is accepted; whether it keeps the content rules is judged there. */
export function proposedSource(body: string): SourceInput | Fault {
  if (body.trimStart().startsWith('{')) {
    const parsed = parseJson(body);
    return isFault(parsed) ? unreadable('its JSON cannot be parsed') : fromJson(parsed.value as JsonObject);
  }
  return fromText(body);
}

function fromJson(object: JsonObject): SourceInput | Fault {
  const unknown = Object.keys(object).filter((name) => !known.has(name));
  if (unknown.length > 0)
    return unreadable(`a source has no member ${unknown.map((name) => `"${name.slice(0, 40)}"`).join(', ')}`);
  const read: Record<string, string> = {};
  for (const name of members) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') return unreadable(`its "${name}" is no string`);
    read[name] = value;
  }
  const score = object['quality_score'] ?? undefined;
  if (score !== undefined && !(typeof score === 'number' && score >= 0 && score <= 1))
    return unreadable('its "quality_score" is no number from 0 to 1');
  return {
    type: read['type'] ?? 'adjacent',
    url: read['url'] ?? '',
    title: read['title'] ?? titleFrom(read['url'] ?? ''),
    quote: read['quote'] ?? '',
    ...Object.fromEntries(Object.entries(read).filter(([name]) => !filled.has(name))),
    ...(score === undefined ? {} : { quality_score: score }),
  };
}

const filled: ReadonlySet<string> = new Set(['type', 'url', 'title', 'quote']);

/** An address ends before the punctuation of the sentence that it stands in. */
const address = /https?:\/\/[^\s<>"“”]+/i;

function fromText(body: string): SourceInput | Fault {
  if (/[[{]\s{0,8}[{"]/.test(body)) return unreadable('it mixes JSON with words');
  const found = address.exec(body);
  if (found === null) return unreadable('it names no http(s) address');
  const url = trimEndOf(found[0], /[.,;:!?)\]}'’]/);
  const quote = firstQuoted(body);
  if (quote === undefined) return unreadable('it marks no exact quote with quotation marks');
  // The proposer's own words are the summary; the quote stands by itself.
  const summary = body.replace(url, ' ').replace(`${quote.open}${quote.words}${quote.close}`, ' ');
  return {
    type: 'adjacent',
    url,
    title: titleFrom(url),
    quote: quote.words,
    summary: summary.replace(/\s+/g, ' ').trim(),
  };
}

const quotationMarks = [
  ['"', '"'],
  ['“', '”'],
  ['«', '»'],
] as const;
const quotedCharsMin = 3;

interface Quoted {
  readonly open: string;
  readonly close: string;
  readonly words: string;
}

/** The first passage in quotation marks, in time linear in the text. */
function firstQuoted(text: string): Quoted | undefined {
  let first: (Quoted & { readonly at: number }) | undefined;
  for (const [open, close] of quotationMarks) {
    for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + 1)) {
      // An inch or a closing mark opens nothing.
      if (open === close && /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))) continue;
      const end = text.indexOf(close, at + 1);
      // What is not closed from here on is closed from no later mark either.
      if (end < 0) break;
      if (end - at <= quotedCharsMin) continue;
      if (first === undefined || at < first.at) first = { at, open, close, words: text.slice(at + 1, end) };
      break;
    }
  }
  return first;
}

function titleFrom(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.host}${parsed.pathname}`.slice(0, titleCharsMax);
}

function unreadable(why: string): Fault {
  return fault(
    'content_rule',
    `The contribution holds no source: ${why}.`,
    'Propose a JSON source with type, url, title and quote, or a text with an address and the quoted words.',
    {
      violations: [
        {
          code: 'source',
          at: '/body',
          message: `The contribution holds no source: ${why}.`,
          fix: 'Name the address that the source is read at, and quote its exact words.',
          severity: 'error',
        },
      ],
    },
  );
}
