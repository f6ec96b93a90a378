/** Forms in which people and programs write a text down so that it can be read back (contract §5 "Secrets"). */

export type Disguise = (text: string) => string;

const bytesOf = (text: string): number[] => [...Buffer.from(text, 'utf8')];
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
const each = (text: string, write: (code: number) => string): string =>
  Array.from(text, (char) => write(char.codePointAt(0) as number)).join('');
const broken =
  (size: number, separator: string): Disguise =>
  (text) =>
    (text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []).join(separator);

export const encodings: Readonly<Record<string, Disguise>> = {
  'percent-encoded': (text) =>
    bytesOf(text)
      .map((byte) => `%${hexOf(byte)}`)
      .join(''),
  'percent-encoded in part': (text) =>
    text.replace(/[a-m.0-4]/g, (char) => `%${hexOf(char.charCodeAt(0)).toUpperCase()}`),
  'decimal entities': (text) => each(text, (code) => `&#${code};`),
  'decimal entities with zeros before them': (text) => each(text, (code) => `&#000000000${code};`),
  'hexadecimal entities with zeros before them': (text) =>
    each(text, (code) => `&#x0000000${code.toString(16)};`),
  'hexadecimal entities': (text) => each(text, (code) => `&#x${code.toString(16)};`),
  'named entities': (text) =>
    text
      .replaceAll('.', '&period;')
      .replaceAll('_', '&lowbar;')
      .replace('s', '&#115;')
      .replace('k', '&#x6B;'),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 one byte on': (text) => Buffer.from(`"${text}"`).toString('base64'),
  'base64 two bytes on': (text) => Buffer.from(`: ${text}, `).toString('base64'),
  base64url: (text) => Buffer.from(`??${text}>>`).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex with colons': (text) => bytesOf(text).map(hexOf).join(':').toUpperCase(),
  'bytes of a program': (text) =>
    bytesOf(text)
      .map((byte) => `0x${hexOf(byte)}`)
      .join(', '),
  'escapes of JSON': (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
};

export const breaks: Readonly<Record<string, Disguise>> = {
  'broken over lines': broken(20, '\n'),
  'broken over lines of a quotation': broken(17, '\r\n> '),
  'broken by spaces': broken(9, ' '),
  'broken by soft hyphens': broken(7, '\u00ad'),
  'broken by characters without width': broken(3, '\u200b'),
  'broken by word joiners at every place': broken(1, '\u2060'),
  'broken by tags': broken(12, '<br>\n'),
  'broken by emphasis': broken(15, '**'),
};

/** Breaks of which each is long, or looks as if it ended early. */
const longBreaks: Readonly<Record<string, Disguise>> = {
  'broken by many blanks': broken(15, ' '.repeat(300)),
  'broken by many empty lines': broken(15, '\r\n'.repeat(90)),
  'broken by comments': broken(12, `<!-- it's > and <b> ${'word '.repeat(60)}-->`),
  'broken by tags with quoted brackets': broken(12, '<i title="a > b" class=\'>\'>'),
  'broken by long tags': broken(12, `<a href="https://example.org/${'path/'.repeat(60)}">`),
  'broken by empty links': broken(12, `[](https://example.org/${'path/'.repeat(60)})`),
};

/** A token written as a list, with numbers of lines, or in letters that look alike. */
const otherForms: Readonly<Record<string, Disguise>> = {
  'octal escapes': (text) => each(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
  'list items': broken(25, '\n- '),
  'items of a quoted list': broken(25, '\r\n> * '),
  'numbered items': (text) => `1. ${text.slice(0, 20)}\n2. ${text.slice(20, 40)}\n3) ${text.slice(40)}`,
  'numbered lines': (text) => `1: ${text.slice(0, 20)}\n2: ${text.slice(20)}`,
  'wide letters': (text) => each(text, (code) => String.fromCharCode(code + 0xfee0)),
  'letters of mathematics': (text) =>
    text
      .replaceAll('.', '\u2024')
      .replace(/[a-z]/g, (char) => String.fromCodePoint(0x1d41a + char.charCodeAt(0) - 0x61))
      .replace(/[A-Z]/g, (char) => String.fromCodePoint(0x1d400 + char.charCodeAt(0) - 0x41)),
};

export const disguises: Readonly<Record<string, Disguise>> = {
  ...encodings,
  ...breaks,
  ...longBreaks,
  ...otherForms,
};
