/**
 * A picture drawn by rule from a prompt (contract §3 CREATIVE_GENERATE, engine `local`): colours and rings come from
 * the prompt's hash, the prompt stands in letters, and the foot says that no model made it. Pure: the same prompt
 * gives the same pixels.
 */
import { sha256 } from '../kernel/hash.ts';
import { glyphColumns, glyphOf, glyphRows } from './glyphs.ts';

export interface Picture {
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
