/**
 * The sources that a text names: every http(s) address in it, titled by its link or its own name, with the
 * sentence that it stands in as the quote. Found by their form alone; whether they say it is for the owner.
 */
import { canonicalUrl } from '../articles/same-source.ts';
import { plainText } from '../retrieval/snippet.ts';

export type FoundSource = {
  readonly type: string;
  readonly url: string;
  readonly title: string;
  /** The sentence around the address without the address itself; '' where it stood alone. */
  readonly quote: string;
  readonly summary: string;
};

const sourcesMax = 20;
const quoteChars = 1000;
const urlCharsMax = 2000;
const address =
  /\[([^[\]]{0,300})\]\((https?:\/\/(?:[^\s()<>"]|\([^\s()<>"]*\))+)\)|https?:\/\/[^\s<>"`|\\^{}]+/gi;

/** At most 20, each address once, in the order of the text. */
export function findSources(text: string): FoundSource[] {
  const found = new Map<string, FoundSource>();
  for (const match of text.matchAll(address)) {
    if (found.size >= sourcesMax) break;
    const [whole, label, linked] = match;
    if (whole.length > 2 * urlCharsMax) continue;
    const named = linked === undefined ? trimmed(whole) : whole;
    const url = addressOf(linked ?? named);
    if (url === undefined || found.has(canonicalUrl(url.href))) continue;
    const title = plainText(label ?? '') || `${url.host}${url.pathname === '/' ? '' : url.pathname}`;
    found.set(canonicalUrl(url.href), {
      type: 'adjacent',
      url: url.href,
      title: title.slice(0, 300).toWellFormed(),
      quote: quoteAround(text, match.index, match.index + named.length),
      summary: '',
    });
  }
  return [...found.values()];
}

/** Punctuation that follows an address belongs to the sentence, and so does a bracket that was opened before it. */
function trimmed(url: string): string {
  let end = url.length;
  for (; end > 0; end--) {
    const last = url[end - 1] as string;
    if ('.,;:!?\'"*_'.includes(last)) continue;
    if (last === ')' && count(url, ')', end) > count(url, '(', end)) continue;
    if (last === ']' && count(url, ']', end) > count(url, '[', end)) continue;
    break;
  }
  return url.slice(0, end);
}

function count(text: string, character: string, end: number): number {
  let found = 0;
  for (let i = 0; i < end; i++) if (text[i] === character) found++;
  return found;
}

function addressOf(text: string): URL | undefined {
  const url = text.length > urlCharsMax ? null : URL.parse(text);
  return url === null || url.username !== '' || url.password !== '' || url.hostname === '' ? undefined : url;
}

/** Words that point to the address and say nothing themselves, right before it. */
const pointing = String.raw`(?:see(?:\s+also)?|cf\.?|via|(?:read\s+)?more(?:\s+(?:at|in|here))?|(?:sources?|links?|references?|refs?)(?:\s+at)?)`;
const pointingBare = new RegExp(String.raw`(^|[(\[<,;:.!?*+\n–—-]\s*)${pointing}\s*$`, 'i');
const pointingWithColon = new RegExp(String.raw`(^|[\s(\[<,;:–—-])${pointing}\s*:\s*$`, 'i');

/** A link with a text of its own may be the object of a sentence: only a colon marks it as a reference. */
function withoutPointer(lead: string, link: string): string {
  const stripped = lead.replace(pointingWithColon, '$1');
  return link.startsWith('[') ? stripped : stripped.replace(pointingBare, '$1');
}

const farthest = 600;

/** The sentence that holds the address, in plain words: from the end of the one before to its own. */
function quoteAround(text: string, start: number, end: number): string {
  const named = text.slice(start, end);
  const before = withoutPointer(text.slice(Math.max(0, start - farthest), start), named);
  const after = text.slice(end, end + farthest);
  const from = Math.max(
    ...[...before.matchAll(/\n\s*\n|^[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]+|[.!?]["”’)]?\s+/gm)].map(
      (match) => match.index + match[0].length,
    ),
    0,
  );
  const ending = /\n\s*\n|\n[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]|[.!?](?=["”’)]?(?:\s|$))/.exec(after);
  const to = ending === null ? after.length : ending.index + (/^[.!?]/.test(ending[0]) ? 1 : 0);
  const around = `${before.slice(from)} ${named} ${after.slice(0, to)}`;
  const words = plainText(around)
    .replace(/https?:\/\/\S+/gi, ' ')
    .replace(/[([<]\s*[)\]>]/g, ' ')
    .replace(/\s+([.,;:!?)\]])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.,;:–—-]+|[\s,;:–—-]+$/g, '')
    .toWellFormed();
  return /[\p{L}\p{N}]{2}/u.test(words) ? words.slice(0, quoteChars).toWellFormed() : '';
}
