/**
 * A picture drawn by rule from a prompt (contract §3 CREATIVE_GENERATE, engine `local`): colours and rings come from
 * the prompt's hash, the prompt stands in letters, and the foot says that no model made it. Pure: the same prompt
 * gives the same pixels.
 */
import { sha256 } from '../kernel/hash.ts';
import { crc32, deflateSync } from 'node:zlib';

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, 255. */
  readonly rgba: Uint8Array;
}

type Colour = readonly [number, number, number];

const foot = 'Drawn by rule from these words. No model made it.';
const white: Colour = [255, 255, 255];

/** `part` from 0 to 1: how far a film has come; 1 is the whole picture. */
export function drawPrompt(prompt: string, width: number, height: number, part = 1): Picture {
  const seed = sha256(prompt);
  const picture = { width, height, rgba: new Uint8Array(width * height * 4) };
  paintGround(picture, seed, part);
  const margin = Math.round(width / 16);
  const footScale = Math.max(1, Math.floor((width - 2 * margin) / (foot.length * (glyphColumns + 1))));
  const footTop = height - margin - glyphRows * footScale;
  const { lines, scale } = fit(prompt, width - 2 * margin, footTop - 2 * margin);
  const shown = Math.ceil(lines.reduce((sum, line) => sum + line.length, 0) * part);
  let written = 0;
  for (const [i, line] of lines.entries()) {
    const visible = line.slice(0, Math.max(0, shown - written));
    written += line.length;
    write(picture, visible.join(''), margin, margin + i * (glyphRows + 2) * scale, scale, white);
  }
  write(picture, foot, margin, footTop, footScale, [235, 235, 235]);
  return picture;
}

/** A slope between two dark colours, and rings around a point that wanders with `part`. */
function paintGround({ width, height, rgba }: Picture, seed: Uint8Array, part: number): void {
  const at = (i: number): number => seed[i] as number;
  const from: Colour = [at(0) / 3, at(1) / 3, at(2) / 3];
  const to: Colour = [at(3) / 2, at(4) / 2, at(5) / 2];
  const ring = 12 + (at(6) % 48);
  const centreX = (width * at(7)) / 255 + (part - 0.5) * width * 0.2;
  const centreY = (height * at(8)) / 255;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const slope = (x / width + y / height) / 2;
      const lift = Math.floor(Math.hypot(x - centreX, y - centreY) / ring) % 2 === 0 ? 14 : 0;
      const pixel = (y * width + x) * 4;
      for (let c = 0; c < 3; c++)
        rgba[pixel + c] = (from[c] as number) * (1 - slope) + (to[c] as number) * slope + lift;
      rgba[pixel + 3] = 255;
    }
  }
}

/** The largest letters in which the text fits, and its lines then; what never fits is cut. */
function fit(
  text: string,
  width: number,
  height: number,
): { readonly lines: readonly (readonly string[])[]; readonly scale: number } {
  for (let scale = Math.max(1, Math.floor(width / 80)); ; scale--) {
    const columns = Math.max(1, Math.floor(width / ((glyphColumns + 1) * scale)));
    const rows = Math.max(1, Math.floor(height / ((glyphRows + 2) * scale)));
    const lines = wrapped(text, columns);
    if (lines.length <= rows || scale <= 1) return { lines: lines.slice(0, rows), scale: Math.max(1, scale) };
  }
}

function wrapped(text: string, columns: number): string[][] {
  const lines: string[][] = [];
  for (const paragraph of text.split('\n')) {
    let line: string[] = [];
    for (const word of paragraph.split(/\s+/).map((each) => [...each])) {
      for (let from = 0; from === 0 || from < word.length; from += columns) {
        const piece = word.slice(from, from + columns);
        if (line.length > 0 && line.length + 1 + piece.length > columns) {
          lines.push(line);
          line = [];
        }
        line = line.length === 0 ? piece : [...line, ' ', ...piece];
      }
    }
    lines.push(line);
  }
  return lines;
}

function write(
  { width, height, rgba }: Picture,
  text: string,
  left: number,
  top: number,
  scale: number,
  colour: Colour,
): void {
  for (const [i, character] of [...text].entries()) {
    const columns = glyphOf(character);
    for (let dot = 0; dot < glyphColumns * glyphRows; dot++) {
      const [column, row] = [dot % glyphColumns, Math.floor(dot / glyphColumns)];
      if ((((columns[column] as number) >> row) & 1) === 0) continue;
      for (let dy = 0; dy < scale; dy++) {
        for (let dx = 0; dx < scale; dx++) {
          const x = left + (i * (glyphColumns + 1) + column) * scale + dx;
          const y = top + row * scale + dy;
          if (x < width && y < height) rgba.set(colour, (y * width + x) * 4);
        }
      }
    }
  }
}

/*
 * Letters for pictures that are drawn by rule: printable ASCII in a grid of 5 by 8, one byte a column, lowest bit on
 * top. Other characters are written by their plain relatives where they have one, and as an empty frame.
 */

const glyphColumns = 5;
const glyphRows = 8;

// prettier-ignore
const bitmap = Buffer.from([
  '000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500008070300001c2241000041221c00',
  '2a1c7f1c2a08083e080800807030000808080808000060600020100804023e5149453e00427f400072494949462141494d33',
  '1814127f1027454545393c4a49493141211109073649494936464949291e0000140000004034000000081422411414141414',
  '004122140802015909063e415d594e7c1211127c7f494949363e414141227f4141413e7f494949417f090909013e41415173',
  '7f0808087f00417f41002040413f017f081422417f404040407f021c027f7f0408107f3e4141413e7f090909063e4151215e',
  '7f09192946264949493203017f01033f4040403f1f2040201f3f4038403f631408146303047804036159494d43007f414141',
  '0204081020004141417f04020102044040404040000307080020545478407f284444383844444428384444287f3854545418',
  '00087e090218a4a49c787f0804047800447d40002040403d007f1028440000417f40007c047804787c080404783844444438',
  'fc1824241818242418fc7c08040408485454542404043f44243c4040207c1c2040201c3c4030403c44281028444c9090907c',
  '4464544c440008364100000077000000413608000201020402',
].join(''), 'hex');

const frame = Buffer.from([0x7f, 0x41, 0x41, 0x41, 0x7f]);

/** Typographer's signs that decompose into nothing plain. */
const relatives: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
};

/** The five columns of a character. */
function glyphOf(character: string): Uint8Array {
  const plain = (relatives[character] ?? character).normalize('NFKD').codePointAt(0) ?? 0x20;
  const at = (plain - 0x20) * glyphColumns;
  return at >= 0 && at < bitmap.length ? bitmap.subarray(at, at + glyphColumns) : frame;
}

/* Writing a PNG (W3C PNG, third edition): 8-bit RGB, no filter, one compressed stream, and a line of text on its origin. */

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `comment` is Latin-1 text that the file carries with it. */
export function pngOf({ width, height, rgba }: Picture, comment: string): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, to = 0; y < height; y++) {
    lines[to++] = 0;
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      lines[to++] = rgba[from] as number;
      lines[to++] = rgba[from + 1] as number;
      lines[to++] = rgba[from + 2] as number;
    }
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1')),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}
