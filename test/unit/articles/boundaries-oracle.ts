/**
 * The slow judge: divides and renders the whole article before and after a change. What `checkBoundaries`
 * finds out in the neighbourhood of the change must be what this finds out.
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import type { Layout } from '../../../src/domain/articles/boundaries.ts';
import { divide, join } from '../../../src/domain/articles/divide.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const markdown = new MarkdownIt({ html: true });

/**
 * Whether every DIV of `after` is made of whole blocks, and each left alone says what it said in `before`.
 */
export function soundByWholeBody(before: Layout, after: Layout): boolean {
  if (!dividesInto(after)) return false;
  const was = render(before, new Map());
  const is = render(after, was.definitions);
  const former = new Map(before.pieces.map((piece) => [piece.div_id, piece.text]));
  return after.pieces.every(
    (piece) =>
      former.get(piece.div_id) !== piece.text || was.html.get(piece.div_id) === is.html.get(piece.div_id),
  );
}

export function dividesInto(layout: Layout): boolean {
  const division = divide(join(layout.lead, layout.pieces));
  if (isFault(division)) throw new Error(division.message);
  if (division.lead.startsWith('\ufeff') !== layout.lead.startsWith('\ufeff')) return false;
  const edges: { from: number; to: number; blocks: number }[] = [];
  let offset = layout.lead.length;
  for (const piece of layout.pieces) {
    edges.push({ from: offset, to: offset + piece.text.length, blocks: 0 });
    offset += piece.text.length + piece.sep.length;
  }
  let start = division.lead.length;
  for (const block of division.blocks) {
    const home = edges.find((edge) => edge.from <= start && start + block.text.length <= edge.to);
    if (home === undefined) return false;
    home.blocks++;
    start += block.text.length + block.sep.length;
  }
  return edges.every((edge) => edge.blocks > 0);
}

interface Definition {
  readonly owner: string;
  readonly href: string;
  readonly title: string;
}

function render(layout: Layout, formerly: ReadonlyMap<string, Definition>) {
  const body = join(layout.lead, layout.pieces);
  const division = divide(body);
  if (isFault(division)) throw new Error(division.message);
  // Front matter is no Markdown: blank lines stand in for it, so that line numbers stay.
  const lead = division.lead.startsWith('\ufeff') ? 1 : 0;
  let source = body.slice(lead).replace(/\r\n?/g, '\n');
  const first = division.blocks[0];
  const isFront = first?.kind === 'front_matter';
  if (isFront) {
    const length = first.text.replace(/\r\n?/g, '\n').length;
    source = source.slice(0, length).replace(/[^\n]/g, '') + source.slice(length);
  }
  const owners: string[] = [];
  let seen = lead > 0 ? layout.lead.slice(1) : layout.lead;
  for (const piece of layout.pieces) {
    seen += piece.text;
    const lines = seen.split(/\r\n?|\n/).length;
    while (owners.length < lines) owners.push(piece.div_id);
    seen += piece.sep;
  }
  const env: Env = {};
  const state = new markdown.core.State(source, markdown, env);
  markdown.core.ruler
    .getRules('')
    .slice(0, 2)
    .forEach((rule) => rule(state));
  const definitions = new Map<string, Definition>();
  for (const token of state.tokens) {
    if (token.type !== 'reference_definition') continue;
    const label = token.meta?.['label'] as string;
    const link = env.references?.[label];
    const line = token.map?.[0] as number;
    if (link !== undefined && !definitions.has(label))
      definitions.set(label, { owner: owners[line] as string, ...link });
  }
  for (const [label, definition] of definitions) {
    const former = formerly.get(label);
    // Whoever defines a label may give it another destination.
    if (former?.owner === definition.owner && env.references !== undefined) env.references[label] = former;
  }
  markdown.core.ruler
    .getRules('')
    .slice(2)
    .forEach((rule) => rule(state));
  const groups = new Map<string, Token[]>(layout.pieces.map((piece) => [piece.div_id, []]));
  let group: Token[] = [];
  for (const token of state.tokens) {
    if (token.level === 0 && token.nesting !== -1)
      group = groups.get(owners[(token.map as [number, number])[0]] as string) as Token[];
    group.push(token);
  }
  const html = new Map<string, string>();
  for (const [id, tokens] of groups) {
    const front = isFront && id === layout.pieces[0]?.div_id ? 'front matter' : '';
    // Blank lines at the end of HTML, or of a code block that nothing closes, come from the separator and mean nothing.
    html.set(
      id,
      front + markdown.renderer.render(tokens, markdown.options, env).replace(/\s+(?=<\/|$)/g, ''),
    );
  }
  return { html, definitions };
}
