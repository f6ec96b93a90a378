/**
 * Rewriting an article block by block in one revision (contract §3 ARTICLE_REWRITE): compare-and-set on the version and
 * on the hash of each block that the caller read. Blocks that stay as they are keep their ids and get no entry; others
 * are edited, moved, made or burned, each with an entry on its own chain.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { ArticleRewritten, type BlockChange, type RewriteInput } from '../../model/article-writes.ts';
import { exactly } from '../../model/exact.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { blankRules, visibleTextRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { withSeparators, type Piece } from './boundaries.ts';
import { currentDiv, divTextRules } from './edit-div.ts';
import { divEntry, nextRev, provenance, type DivLayout } from './events.ts';
import { longestIncreasing } from './increasing.ts';
import { activeDivs, bodyOf, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, layoutOf, shapeOf } from './write-document.ts';

type Rewrite = Pick<RewriteInput, 'expected_version' | 'blocks' | 'note'>;

/** A block of the article as it is to read; `div` is the one that it keeps, `sep` what stands behind it. */
export interface Block {
  readonly div: DivRow | undefined;
  readonly text: string;
  readonly sep: string;
}

/** A text that an article has already may be longer than a write may make it: only other texts are measured. */
export function rewriteRules(
  { blocks, note }: PartialInput<Rewrite>,
  article: ArticleState | undefined,
  limits: SizeLimits,
): Violation[] {
  const known = new Set(article === undefined ? [] : activeDivs(article).map(({ text }) => text));
  const unmeasured = { ...limits, divBytesMax: Number.POSITIVE_INFINITY };
  const named = new Set<string>();
  const found = (blocks ?? []).flatMap((block, i): Violation[] => {
    if (block === null) return [];
    const { div_id: id, expected_hash: hash, text } = block;
    const isTwice = typeof id === 'string' && named.has(id);
    if (typeof id === 'string') named.add(id);
    const isMeasured = article !== undefined && typeof text === 'string' && !known.has(text);
    const say = (code: string, member: string, message: string, fix: string): Violation =>
      violation(code, `/blocks/${i}/${member}`, message, fix);
    return [
      ...divTextRules(text, isMeasured ? limits : unmeasured, 'Send a text, or leave the block out.').map(
        (each) => ({ ...each, at: `/blocks/${i}${each.at}` }),
      ),
      ...(isTwice
        ? [say('malformed', 'div_id', `${id} stands in two blocks.`, 'Leave div_id out of one of them.')]
        : []),
      ...(hash !== undefined && id === undefined
        ? [
            say(
              'not_carried',
              'expected_hash',
              'A new block has no hash yet.',
              'Send div_id, or leave it out.',
            ),
          ]
        : []),
    ];
  });
  return [...found, ...noteRules(note)];
}

export function noteRules(note: string | null | undefined): Violation[] {
  return [...blankRules('note', note, 'Say why the article is rewritten.'), ...visibleTextRules({ note })];
}

export function rewriteArticle(
  article: ArticleState,
  rewrite: Rewrite,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(rewriteRules(rewrite, article, context.limits));
  if (bad !== undefined) return bad;
  const stale = staleVersion(article, rewrite.expected_version);
  if (stale !== undefined) return stale;
  const divs: (DivRow | undefined)[] = [];
  for (const { div_id: id, expected_hash: hash } of rewrite.blocks) {
    const div =
      id === undefined ? undefined : currentDiv(article, id, hash ?? article.divs.get(id)?.vx_hash ?? '');
    if (isFault(div)) return div;
    divs.push(div);
  }
  const before = activeDivs(article);
  const kept = keptByText(before, new Set(divs), rewrite.blocks);
  const blocks = withoutGaps(
    before,
    rewrite.blocks.map(({ text }, i) => ({ div: divs[i] ?? kept[i], text })),
  );
  const laid = layOut(article, blocks);
  const touched = touchedIn(before, laid.pieces);
  const pieces = withSeparators(laid.pieces, touched);
  const unfit = checkLayout(article, before, pieces, touched, context.limits);
  if (unfit !== undefined) return unfit;
  return rewritten(article, { ...laid, pieces }, { action: 'rewrite', note: rewrite.note }, context);
}

export function staleVersion({ row: { slug, version } }: ArticleState, expected: number): Fault | undefined {
  if (expected === version) return undefined;
  return fault(
    'conflict',
    `${slug} is at version ${version}, not ${expected}.`,
    'Read the article and send its version as expected_version.',
    { current_version: version },
  );
}

/** For blocks without an id, the DIVs that read the same and are in no other block, in their order. */
export function keptByText(
  before: readonly DivRow[],
  taken: ReadonlySet<DivRow | undefined>,
  blocks: readonly { readonly div_id?: string | undefined; readonly text: string }[],
): readonly (DivRow | undefined)[] {
  const free = Map.groupBy(before.filter((div) => !taken.has(div)).toReversed(), ({ text }) => text);
  return blocks.map(({ div_id: id, text }) => (id === undefined ? free.get(text)?.pop() : undefined));
}

/**
 * What stands behind each block: what stood behind it, or a blank line behind a new one. The article ends as it ended.
 */
function withoutGaps(
  before: readonly DivRow[],
  blocks: readonly Pick<Block, 'div' | 'text'>[],
): readonly Block[] {
  const end = before.at(-1);
  const lineEnd = /\r\n?|\n/.exec(before.map(({ text, sep }) => text + sep).join(''))?.[0] ?? '\n';
  return blocks.map(({ div, text }, i) => {
    const isLast = i === blocks.length - 1;
    const own = div?.sep ?? lineEnd + lineEnd;
    return { div, text, sep: isLast && div !== end ? (end?.sep ?? lineEnd) : own };
  });
}

/** The blocks with the ids that they will have. */
interface LaidOut {
  readonly blocks: readonly Block[];
  /** A DIV that stays as it is is the same object. */
  readonly pieces: readonly Piece[];
}

export function layOut(article: ArticleState, blocks: readonly Block[]): LaidOut {
  let made = article.row.divs_made;
  const pieces = blocks.map(({ div, text, sep }): Piece => {
    if (div !== undefined && div.text === text && div.sep === sep) return div;
    return { div_id: div?.div_id ?? `d${++made}`, text, sep };
  });
  return { blocks, pieces };
}

/** Places at which a block is new, changed, or behind another one than before. */
function touchedIn(before: readonly DivRow[], pieces: readonly Piece[]): number[] {
  const former = new Map(before.map((div, i) => [div as Piece, before[i - 1]?.div_id]));
  return pieces.flatMap((piece, i) =>
    former.has(piece) && former.get(piece) === pieces[i - 1]?.div_id ? [] : [i],
  );
}

/** The entries of a rewrite, and its answer. Nothing that differs makes no revision. */
export function rewritten(
  article: ArticleState,
  { blocks, pieces }: LaidOut,
  act: { readonly action: 'rewrite' | 'revert'; readonly note: string; readonly restores?: number },
  context: Context,
): Outcome<ArticleState> {
  const { aid, slug, heads } = article.row;
  const before = activeDivs(article);
  const stays = longestIncreasing(blocks.map(({ div }) => div?.pos));
  const changes = blocks.map(({ div, text }, i): BlockChange => {
    if (div === undefined) return 'made';
    return div.text !== text ? 'edited' : stays.has(i) ? 'kept' : 'moved';
  });
  const layouts = layoutsOf(article, blocks, pieces, stays, before[0]);
  const made = layouts.filter((_, i) => blocks[i]?.div === undefined);
  const laid = layouts.filter((layout, i) => {
    const div = blocks[i]?.div;
    return div !== undefined && !isSameLayout(layout, div);
  });
  const used = new Set(blocks.map(({ div }) => div));
  const burned = before.filter((div) => !used.has(div));
  const written = blocks.flatMap(({ div, text }, i): EventDraft[] => {
    const id = (pieces[i] as Piece).div_id;
    if (div === undefined) return [divEntry(aid, id, null, context, 'divide', { text })];
    if (changes[i] === 'edited') return [divEntry(aid, id, div.head, context, 'edit', { text })];
    return changes[i] === 'moved'
      ? [divEntry(aid, id, div.head, context, 'move', { text_sha: div.vx_hash })]
      : [];
  });
  const of = [...pieces.filter((_, i) => changes[i] === 'edited' || changes[i] === 'moved'), ...burned].map(
    ({ div_id: id }) => id,
  );
  const isUnchanged = made.length === 0 && laid.length === 0 && of.length === 0;
  const { action, note, ...restored } = act;
  const change = { ...(made.length === 0 ? {} : { made }), laid, of, reason: note, ...restored };
  const events = isUnchanged
    ? []
    : [
        provenance(aid, heads.provenance, context, action, nextRev(article), change),
        ...written,
        ...burned.map((div) =>
          divEntry(aid, div.div_id, div.head, context, 'burn', { text_sha: div.vx_hash }),
        ),
      ];
  return {
    events,
    conclude([first], after) {
      const permalink = links.article(context.base, slug);
      const { version } = after.row;
      const count = (kind: BlockChange): string =>
        `${changes.filter((each) => each === kind).length} ${kind}`;
      return {
        result: exactly(ArticleRewritten, {
          slug,
          ...restored,
          unchanged: isUnchanged,
          content_hash: sha256Hex(bodyOf(after)),
          divs: pieces.map(({ div_id }, i) => ({
            div_id,
            order: i + 1,
            change: changes[i] as BlockChange,
            vx_hash: after.divs.get(div_id)?.vx_hash ?? '',
            permalink: links.div(context.base, slug, div_id),
          })),
          burned: burned.map(({ div_id }) => div_id),
          chain_entry: first === undefined ? null : { ...first.sealed.entry, hash: first.sealed.hash },
          revision: version,
          permalink,
          body_regenerated: !isUnchanged,
        }),
        text: isUnchanged
          ? `${slug} reads so already: nothing changed, and it stays at revision ${version}: ${permalink}`
          : `${action === 'revert' ? 'Reverted' : 'Rewrote'} ${slug} (revision ${version}; ${(['kept', 'edited', 'moved', 'made'] as const).map(count).join(', ')}, ${burned.length} burned): ${permalink}`,
        material: isUnchanged ? [] : [{ kind: 'article', id: slug, url: permalink }],
      };
    },
  };
}

/**
 * Places are only compared: blocks that keep their order keep theirs, unless others in front need it. A block that gets
 * to the beginning, or leaves it, is looked at anew: only there a text is front matter.
 */
function layoutsOf(
  { row: { lead } }: ArticleState,
  blocks: readonly Block[],
  pieces: readonly Piece[],
  stays: ReadonlySet<number>,
  first: DivRow | undefined,
): readonly DivLayout[] {
  let taken = 0;
  return blocks.map(({ div, text, sep: _sep }, i) => {
    const { div_id, sep } = pieces[i] as Piece;
    taken = Math.max(taken + 1, stays.has(i) && div !== undefined ? div.pos : 0);
    const isKnown = div !== undefined && div.text === text && (i === 0) === (div === first);
    const shape = isKnown ? layoutOf(div) : shapeOf(text, i === 0 ? lead : undefined);
    return { ...shape, div_id, pos: taken, sep };
  });
}

function isSameLayout({ pos, kind, level, title, sep }: DivLayout, div: DivRow): boolean {
  return (
    pos === div.pos && kind === div.kind && level === div.level && title === div.title && sep === div.sep
  );
}
