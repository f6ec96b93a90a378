/**
 * Link definitions act at a distance: `[label]` in one DIV takes its destination from the first definition of
 * the label anywhere in the article (contract §5, "A write must not leak into its neighbours"). This finds
 * the DIVs that a change would re-link although their own text stayed as it was. A DIV may give a label that
 * it defines another destination; defining, removing or shadowing a label that others use is a leak.
 */
import type { Env } from 'markdown-it';
import type { Layout, LayoutChange, Piece } from './blocks-change.ts';
import { inlineHtml } from './blocks-inline.ts';
import { scanBlocks, type BlockScan } from './blocks.ts';

interface Definition {
  readonly div_id: string;
  readonly href: string;
  readonly title: string;
}

/** The ids of the DIVs whose links or images would change, in no particular order. */
export function labelLeaks(before: Layout, after: Layout, change: LayoutChange): readonly string[] {
  const former = definitions(before, change.from, change.beforeTo);
  const latter = definitions(after, change.from, change.afterTo);
  // Equal effective definitions in the changed part are equal in the whole: the rest is the same on both sides.
  if (differing(former, latter).length === 0) return [];

  const had = definitions(before, 0, before.pieces.length);
  const has = definitions(after, 0, after.pieces.length);
  const unmoved = texts(before);
  const labels: string[] = [];
  for (const label of differing(had, has)) {
    const was = had.get(label);
    const is = has.get(label);
    const byItsOwner = was !== undefined && is !== undefined && was.div_id === is.div_id;
    if (byItsOwner) has.set(label, was);
    else labels.push(label);
  }
  if (labels.length === 0) return [];

  const envBefore = envOf(had);
  const envAfter = envOf(has);
  const leaks: string[] = [];
  const budget = { brackets: bracketsMax };
  for (let i = 0; i < after.pieces.length; i++) {
    const piece = after.pieces[i] as Piece;
    if (unmoved.get(piece.div_id) !== piece.text) continue;
    if (piece.text.includes('[') && relinked(scanOf(after, i), labels, envBefore, envAfter, budget))
      leaks.push(piece.div_id);
  }
  return leaks;
}

/**
 * Effective definitions of the DIVs from one index up to another: of several for a label the first counts.
 */
function definitions(layout: Layout, from: number, to: number): Map<string, Definition> {
  const out = new Map<string, Definition>();
  for (let i = from; i < to; i++) {
    const piece = layout.pieces[i] as Piece;
    // A definition needs these two characters side by side; most DIVs don't have them and aren't parsed.
    if (!piece.text.includes(']:')) continue;
    for (const [label, link] of Object.entries(scanOf(layout, i).env.references ?? {})) {
      if (!out.has(label)) out.set(label, { div_id: piece.div_id, href: link.href, title: link.title });
    }
  }
  return out;
}

/**
 * One DIV divided by itself, which gives what it gives in the article; the first one stands where the lead
 * ends.
 */
function scanOf(layout: Layout, index: number): BlockScan {
  const { text } = layout.pieces[index] as Piece;
  return index === 0 ? scanBlocks(layout.lead + text, true) : scanBlocks(text, false);
}

function differing(one: ReadonlyMap<string, Definition>, other: ReadonlyMap<string, Definition>): string[] {
  const labels = new Set([...one.keys(), ...other.keys()]);
  return [...labels].filter((label) => {
    const a = one.get(label);
    const b = other.get(label);
    return a === undefined || b === undefined || a.href !== b.href || a.title !== b.title;
  });
}

function texts(layout: Layout): Map<string, string> {
  return new Map(layout.pieces.map((piece) => [piece.div_id, piece.text]));
}

function envOf(defined: ReadonlyMap<string, Definition>): Env {
  return { references: Object.fromEntries(defined) };
}

const labelsSearchedMax = 50;
// Parsing this many takes some tenths of a second, twice; an article so full of brackets is refused unread.
const bracketsMax = 100_000;

/** Whether the inline content of an unchanged DIV comes out differently under other definitions. */
function relinked(
  scan: BlockScan,
  labels: readonly string[],
  envBefore: Env,
  envAfter: Env,
  budget: { brackets: number },
): boolean {
  for (const token of scan.tokens) {
    if (token.type !== 'inline' || !token.content.includes('[')) continue;
    if (labels.length <= labelsSearchedMax && !mayUse(normalize(token.content), labels)) continue;
    budget.brackets -= token.content.split('[').length;
    if (budget.brackets < 0) return true;
    if (inlineHtml(token.content, envBefore) !== inlineHtml(token.content, envAfter)) return true;
  }
  return false;
}

/** A use of a label ends with it and a bracket, whatever stands before. */
function mayUse(content: string, labels: readonly string[]): boolean {
  return labels.some((label) => content.includes(`${label}]`) || content.includes(`${label} ]`));
}

/** As markdown-it normalises labels, so that a label used in a text is a part of the normalised text. */
function normalize(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}
