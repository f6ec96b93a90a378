/**
 * Ways to read a text that may hold a secret in disguise (`disguised-secret.ts`). Each gives another text and knows
 * which characters of the first every stretch of it was read from. The attacker controls the text: each is one pass.
 */
export interface DecodedText {
  readonly text: string;
  /** Start and end in the outermost text of what stands here from `start` to `end`. */
  sourceSpan(start: number, end: number): readonly [number, number];
}

export function undecoded(text: string): DecodedText {
  return { text, sourceSpan: (start, end) => [start, end] };
}

const escapes = {
  '%': /%([0-9a-f]{2})/gi,
  '&': /&(?:#(0*[0-9]{1,7})|#x(0*[0-9a-f]{1,6})|([a-z]{2,8}));?/gi,
  '\\': /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([0-7]{3})|(["'\\/nrt]))/gi,
} as const;
const anyEscape = new RegExp(
  Object.values(escapes)
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** The names that HTML has for characters of ASCII that are no letters. */
// prettier-ignore
const named: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", excl: '!', num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')',
  ast: '*', midast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';', equals: '=', quest: '?',
  commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', underbar: '_',
  grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}', hyphen: '-', dash: '-', nbsp: ' ',
};

/** What the text says behind its escapes: all at once, or kind by kind where a secret itself looks like one. */
export function decodeEscapes(from: DecodedText, secrets: readonly string[]): readonly DecodedText[] {
  const isAmbiguous = secrets.some((secret) => /[%&\\]/.test(secret));
  const patterns = isAmbiguous ? Object.values(escapes) : [anyEscape];
  return patterns.flatMap((pattern) => {
    const read = behind(from, pattern);
    return read === undefined ? [] : [read];
  });
}

function behind(from: DecodedText, pattern: RegExp): DecodedText | undefined {
  return /[%&\\]/.test(from.text) ? replaced(from, pattern, letterOf) : undefined;
}

const brokenEscape = /%[0-9a-f]?[^\w%]|&#?[a-z0-9]{0,8}[^\w;#&]|\\[ux][0-9a-f]{0,3}[^\w\\]/i;
const breaks = /<[^<>]{0,64}>|[^\w%&#;\\.+/=-]+/g;

/** The text without what breaks it into parts, where that stands within an escape. */
export function joinBrokenEscapes(from: DecodedText): readonly DecodedText[] {
  const read = brokenEscape.test(from.text) ? replaced(from, breaks, () => '') : undefined;
  return read === undefined ? [] : [read];
}

/** The text with `letterFor` applied to each match, at most one character; undefined where nothing changes. */
export function replaced(
  from: DecodedText,
  pattern: RegExp,
  letterFor: (match: string) => string | undefined,
): DecodedText | undefined {
  const { text } = from;
  const parts: string[] = [];
  const origins = new OriginMap();
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const letter = letterFor(match[0]);
    if (letter === undefined) continue;
    parts.push(text.slice(at, match.index), letter);
    origins.add(match.index - at, at);
    origins.add(letter.length, match.index);
    at = match.index + match[0].length;
  }
  if (parts.length === 0) return undefined;
  parts.push(text.slice(at));
  origins.add(text.length - at, at);
  return {
    text: parts.join(''),
    sourceSpan: (start, end) =>
      from.sourceSpan(origins.at(start), end === origins.length ? text.length : origins.at(end)),
  };
}

/** The place in an older text of each character of a newer one, as runs of neighbours. */
export class OriginMap {
  readonly #starts: number[] = [];
  readonly #origins: number[] = [];
  /** Characters of the newer text so far. */
  length = 0;

  /** Appends `count` characters that were read from `origin` on. */
  add(count: number, origin: number): void {
    if (count === 0) return;
    this.#starts.push(this.length);
    this.#origins.push(origin);
    this.length += count;
  }

  at(index: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] as number) <= index) low = middle;
      else high = middle - 1;
    }
    return (this.#origins[low] as number) + index - (this.#starts[low] as number);
  }
}

/** One character of ASCII, which is all that a secret of a header is made of; undefined for any other. */
function letterOf(escape: string): string | undefined {
  const second = (escape[1] as string).toLowerCase();
  if (escape.startsWith('%')) return ascii(Number.parseInt(escape.slice(1), 16));
  if (escape.startsWith('\\')) {
    if (second === 'u') return ascii(Number.parseInt(escape.slice(escape[2] === '{' ? 3 : 2), 16));
    if (second === 'x') return ascii(Number.parseInt(escape.slice(2), 16));
    if (escape.length === 4) return ascii(Number.parseInt(escape.slice(1), 8));
    return 'nrt'.includes(second) ? '\n' : second;
  }
  if (second === '#') {
    const inHex = escape[2] === 'x' || escape[2] === 'X';
    const code = inHex ? Number.parseInt(escape.slice(3), 16) : Number.parseInt(escape.slice(2), 10);
    // Without its end it may go on in another escape: `&#9%38;` is `&#98;`.
    return code < 0x0a && !escape.endsWith(';') ? undefined : ascii(code);
  }
  const name = escape.slice(1, escape.endsWith(';') ? -1 : undefined).toLowerCase();
  return Object.hasOwn(named, name) ? named[name] : undefined;
}

function ascii(code: number): string | undefined {
  return code < 0x80 ? String.fromCharCode(code) : undefined;
}

/** What lines were broken into may end in a single letter. */
const base64RunMin = 1;
/** Bytes one by one, with colons, commas or `0x` between them, are still pairs. */
const hexRunMin = 2;

/** The bytes of everything that could be base64, from each of the four possible offsets. */
export function decodeBase64(from: DecodedText, bytesMin: number): readonly DecodedText[] {
  const chars = runsOf(from.text, isBase64, base64RunMin);
  if (chars.length * 0.75 < bytesMin) return [];
  const joined = joinedAt(from.text, chars);
  return [0, 1, 2, 3].flatMap((shift) =>
    printable(bytesMin, {
      text: Buffer.from(joined.slice(shift), 'base64').toString('latin1'),
      sourceSpan: (start, end) =>
        from.sourceSpan(
          chars[shift + Math.floor((start * 4) / 3)] as number,
          (chars[shift + Math.ceil((end * 4) / 3) - 1] as number) + 1,
        ),
    }),
  );
}

/** Pairs of digits, and single ones that lines were broken into, where the `0` of `0x73` belongs to no byte. */
export function decodeHex(from: DecodedText, bytesMin: number): readonly DecodedText[] {
  const bare = from.text.replace(/0[^\w]{0,8}x/gi, (prefix) => ' '.repeat(prefix.length));
  return [
    ...hexIn(from, from.text, bytesMin, hexRunMin),
    ...(loneDigit.test(bare) ? hexIn(from, bare, bytesMin, 1) : []),
  ];
}

const loneDigit = /[0-9a-f][^\w]+[0-9a-f](?![0-9a-f])/i;

/** `text` is that of `from`, character by character. */
function hexIn(from: DecodedText, text: string, bytesMin: number, runMin: number): readonly DecodedText[] {
  const chars = runsOf(text, isHex, runMin);
  if (chars.length < 2 * bytesMin) return [];
  const joined = joinedAt(text, chars);
  return [0, 1].flatMap((shift) =>
    printable(bytesMin, {
      text: Buffer.from(joined.slice(shift), 'hex').toString('latin1'),
      sourceSpan: (start, end) =>
        from.sourceSpan(chars[shift + 2 * start] as number, (chars[shift + 2 * end - 1] as number) + 1),
    }),
  );
}

/** Decoding at a wrong offset gives noise: only printable runs are searched further. */
function printable(charsMin: number, from: DecodedText): readonly DecodedText[] {
  const places = runsOf(from.text, isPrintable, charsMin);
  if (places.length === 0) return [];
  if (places.length === from.text.length) return [from];
  return [
    {
      text: joinedAt(from.text, places),
      sourceSpan: (start, end) => from.sourceSpan(places[start] as number, (places[end - 1] as number) + 1),
    },
  ];
}

/** Places of the characters that stand in runs of at least `runMin` members of an alphabet. */
function runsOf(text: string, isMember: (code: number) => boolean, runMin: number): Uint32Array {
  const places = new Uint32Array(text.length);
  let count = 0;
  let run = 0;
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && isMember(text.charCodeAt(i))) {
      places[count++] = i;
      run++;
    } else {
      if (run < runMin) count -= run;
      run = 0;
    }
  }
  return places.subarray(0, count);
}

function joinedAt(text: string, places: Uint32Array): string {
  const bytes = Buffer.allocUnsafe(places.length);
  for (let i = 0; i < places.length; i++) bytes[i] = text.charCodeAt(places[i] as number);
  return bytes.toString('latin1');
}

function isPrintable(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || code === 0x09;
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

/** Both alphabets of RFC 4648. */
function isBase64(code: number): boolean {
  const lower = code | 0x20;
  return (
    (code >= 0x30 && code <= 0x39) ||
    (lower >= 0x61 && lower <= 0x7a) ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x2d ||
    code === 0x5f
  );
}
