/**
 * JSON as evidence. Parsing rejects what two readers could read differently (duplicate keys, lone surrogates, numbers out of
 * range); `canonical` serializes a value as RFC 8785, the text that is hashed.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonRecord;
export interface JsonRecord {
  readonly [key: string]: Json;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 8785 text. Throws a `TypeError` on what JSON has no word for and on lone surrogates. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${Array.from(value as readonly Json[], canonical).join(',')}]`;
  if (isRecord(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${quoted(key)}:${canonical(value[key] as Json)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number');
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`JSON has no ${typeof value}`);
}

function quoted(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a string holds a lone surrogate');
  return JSON.stringify(text);
}

const depthMax = 256;

/** Parses strictly; throws a `SyntaxError` that says where. */
export function parse(text: string): Json {
  return read(new Reader(text, false));
}

/** Parses a document that is evidence: its numbers are the same to a reader that keeps every digit. */
export function parseDocument(text: string): Json {
  return read(new Reader(text, true));
}

function read(reader: Reader): Json {
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  readonly #isExact: boolean;
  #at = 0;

  constructor(text: string, isExact: boolean) {
    this.#text = text;
    this.#isExact = isExact;
  }

  value(depth: number): Json {
    if (depth > depthMax) throw this.#error(`nested more than ${depthMax} deep`);
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#error('more than one value');
  }

  #object(depth: number): JsonRecord {
    const members = new Map<string, Json>();
    this.#at++;
    if (this.#takes('}')) return {};
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#error('a key is missing');
      const key = this.#string();
      if (members.has(key)) throw this.#error(`the key ${JSON.stringify(key)} stands twice`);
      if (!this.#takes(':')) throw this.#error('a colon is missing');
      members.set(key, this.value(depth + 1));
    } while (this.#takes(','));
    if (!this.#takes('}')) throw this.#error('a brace is missing');
    return Object.fromEntries(members);
  }

  #array(depth: number): Json[] {
    const items: Json[] = [];
    this.#at++;
    if (this.#takes(']')) return items;
    do items.push(this.value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#error('a bracket is missing');
    return items;
  }

  #string(): string {
    const end = this.#endOfString();
    if (end < 0) throw this.#error('a string does not end');
    const token = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    const value = this.#native(token) as string;
    if (!value.isWellFormed()) throw this.#error('a string holds a lone surrogate');
    return value;
  }

  /** Where the quote stands that ends it, or -1; no pattern, since a long string would exhaust its stack. */
  #endOfString(): number {
    let at = this.#at;
    for (;;) {
      at = this.#text.indexOf('"', at + 1);
      let escapes = 0;
      while (this.#text[at - 1 - escapes] === '\\') escapes++;
      if (at < 0 || escapes % 2 === 0) return at;
    }
  }

  #word(): Json {
    const token = this.#token(/true|false|null|-?\d[\d.eE+-]*/y);
    if (token === undefined) throw this.#error('a value is missing');
    const value = this.#native(token);
    if (typeof value === 'number' && !Number.isFinite(value)) throw this.#error('a number is too large');
    if (this.#isExact && typeof value === 'number' && !isSame(token, String(value)))
      throw this.#error(`the number ${token.slice(0, 40)} has more digits than are kept, ${value}`);
    return value;
  }

  /** Escapes and number grammar are left to the platform, one token at a time. */
  #native(token: string): Json {
    try {
      return JSON.parse(token) as Json;
    } catch {
      throw this.#error(`${token.slice(0, 20)} is not JSON`);
    }
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    this.#at += token?.length ?? 0;
    return token;
  }

  #takes(mark: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #error(what: string): SyntaxError {
    return new SyntaxError(`${what} (at character ${this.#at})`);
  }
}

const digitsMax = 40;

/** Whether two spellings are of the same number. */
function isSame(token: string, kept: string): boolean {
  return token === kept || (token.length <= digitsMax && decimal(token) === decimal(kept));
}

/** One spelling of a JSON number: its digits without zeros around them, and a power of ten. */
function decimal(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === ''
    ? '0'
    : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
