/**
 * Document mode: a whole Markdown text becomes an article, or is appended to one (spec §4.4 voxel-batch,
 * contract §5 "Dividing"). The text is divided exactly: joining the DIVs gives it back byte for byte.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { Context, Outcome, Result } from '../context.ts';
import { links } from '../links.ts';
import { blankRules, visibleTextRules, visibleTagRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { checkBoundaries, withSeparators, type Piece } from './boundaries.ts';
import { divide, kindOf, type Block, type Division } from './divide.ts';
import { divEntry, nextRev, provenance, type DivLayout } from './events.ts';
import type { Spent } from '../../model/history.ts';
import { slugFrom, slugRules } from './slugs.ts';
import { activeDivs, type ArticleState } from './state.ts';
import { type DivRow } from './tables.ts';
import type { ArticleMeta } from '../../model/article.ts';
import { type ArticleStatus, articleStatuses } from '../../model/vocabulary.ts';
import { exactly } from '../../model/exact.ts';
import { DocumentWritten } from '../../model/article-writes.ts';

export interface Document {
  readonly slug: string;
  readonly title: string;
  readonly status: ArticleStatus;
  readonly division: Division;
  readonly meta: ArticleMeta;
  /** What the caller set, which an article that stands must have already. */
  readonly given: Pick<DocumentInput, 'title' | 'status' | 'tags' | 'category' | 'extra' | 'model'>;
}

export interface DocumentInput {
  readonly slug?: string | undefined;
  readonly title?: string | undefined;
  readonly markdown: string;
  readonly status?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | undefined;
  readonly extra?: JsonObject | undefined;
  readonly model?: string | undefined;
  /** 0: no article has the slug. */
  readonly expected_version?: number | undefined;
}

export const titleCharsMax = 300;

/** What is asked of a document before it is divided; `at` is the place of it in the call. */
export function documentRules(
  { slug, title, category, model, tags, markdown, extra }: PartialInput<DocumentInput>,
  at = '',
): Violation[] {
  const blank = blankRules('markdown', markdown, 'Send at least one block of Markdown.');
  return [
    ...blank.map((each) => ({ ...each, at: at + each.at })),
    ...slugRules(slug, `${at}/slug`),
    ...visibleTextRules({ title, category, model }, at),
    ...visibleTagRules(tags, at),
    ...(extra == null || !('normandy_v1' in extra)
      ? []
      : [
          violation(
            'not_carried',
            `${at}/extra/normandy_v1`,
            'A document does not set extra.normandy_v1.',
            'Set traversal with ARTICLE_META afterwards.',
          ),
        ]),
  ];
}

/** Divides and names a document. A missing title is taken from the front matter or from the heading that heads it all. */
export function prepareDocument(input: DocumentInput, limits: SizeLimits): Document | Fault {
  const bad = refusalOf(documentRules(input), 'The document');
  if (bad !== undefined) return bad;
  const bytes = Buffer.byteLength(input.markdown);
  if (bytes > limits.articleBytesMax) {
    return fault(
      'payload_ceiling',
      `The document has ${bytes} bytes; an article has at most ${limits.articleBytesMax}.`,
      splitArticle,
    );
  }
  const status = input.status ?? 'published';
  if (!(articleStatuses as readonly string[]).includes(status)) {
    return fault(
      'body_mismatch',
      `"${status}" is no article status.`,
      `Use one of ${articleStatuses.join(', ')}.`,
    );
  }
  const division = divide(input.markdown);
  if (isFault(division)) return division;
  if (division.blocks.length === 0) {
    return fault('body_mismatch', 'The document has no text.', 'Send at least one block of Markdown.');
  }
  const many = tooManyDivs(division.blocks.length, limits);
  if (many !== undefined) return many;
  const title = (input.title ?? titleOf(division)).trim().slice(0, titleCharsMax).toWellFormed();
  const derived = slugFrom(title, '');
  // Hashed only where it is needed: that takes as long as an entry.
  const unnamed = (): string => `article-${sha256Hex(input.markdown).slice(0, 8)}`;
  return {
    slug: input.slug ?? (derived === '' ? unnamed() : derived),
    title: title === '' ? unnamed() : title,
    status: status as ArticleStatus,
    division,
    meta: {
      hero: null,
      images: [],
      style: {},
      tags: input.tags ?? [],
      category: input.category ?? null,
      model: input.model ?? null,
      embeds: [],
      widgets: [],
      home: false,
      register: 'standard',
      extra: input.extra ?? {},
    },
    given: {
      title: input.title,
      status: input.status,
      tags: input.tags,
      category: input.category,
      extra: input.extra,
      model: input.model,
    },
  };
}

const frontMatterTitle = /^(?:title|name):[ \t]*(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\r\n]*))$/m;

function titleOf(division: Division): string {
  const first = division.blocks[0] as Block;
  if (first.kind === 'front_matter') {
    const found = frontMatterTitle.exec(first.text);
    const title = found?.[1] ?? found?.[2] ?? found?.[3];
    if (title !== undefined && title.trim() !== '') return title;
  }
  // A heading is the title where the text opens with it, or where it is the only one of its level.
  const opening = first.kind === 'front_matter' ? division.blocks[1] : first;
  if (opening?.kind === 'heading' && opening.title !== '') return opening.title;
  const top = division.blocks.filter((block) => block.kind === 'heading' && block.level === 1);
  return top.length === 1 ? (top[0] as Block).title : '';
}

/** The title that a text gives itself; '' where it has none. */
export function titleIn(markdown: string): string {
  const division = divide(markdown);
  return isFault(division) || division.blocks.length === 0 ? '' : titleOf(division);
}

/** Compare-and-set on the article that a document names, before it is made or appended to. */
export function staleDocument(
  { slug, expected_version: expected }: DocumentInput,
  current: number,
  freeSlug: () => string,
): Fault | undefined {
  if (expected === undefined || expected === current) return undefined;
  const details = { current_version: current };
  if (current === 0)
    return fault(
      'conflict',
      `No article has the slug ${slug}, so it is at no version ${expected}.`,
      'Send expected_version 0 to create the article, or name another slug.',
      details,
    );
  if (expected > 0)
    return fault(
      'conflict',
      `${slug} is at version ${current}, not ${expected}.`,
      'Read the article and send its version as expected_version.',
      details,
    );
  const free = freeSlug();
  const message = `An article has the slug ${slug} already.`;
  const fix = `Use another, for example ${free}, or edit that article.`;
  return fault('conflict', message, fix, {
    ...details,
    free_slug: free,
    violations: [violation('taken', '/document/slug', message, fix)],
  });
}

/** The article does not exist yet. */
export function createArticle(document: Document, aid: string, context: Context): Outcome<ArticleState> {
  const { blocks, lead } = document.division;
  const made = layouts(blocks, 0, 0);
  const change = {
    created: { tenant: context.tenant, slug: document.slug, lead },
    title: document.title,
    status: document.status,
    meta: document.meta,
    made,
  };
  const events = [
    provenance(aid, null, context, 'write', 1, change, writtenBy(document)),
    ...blocks.map((block, i) =>
      divEntry(aid, (made[i] as DivLayout).div_id, null, context, 'divide', { text: block.text }),
    ),
  ];
  return { events, conclude: (_, after) => documentResult(after, made, context, true) };
}

/** The article exists: the document's DIVs come after its last one. */
export function appendDocument(
  article: ArticleState,
  document: Document,
  context: Context,
): Outcome<ArticleState> | Fault {
  const other = otherMetadata(article, document);
  if (other !== undefined) return other;
  const before = activeDivs(article);
  const last = before[before.length - 1];
  const { blocks } = document.division;
  const made = layouts(blocks, article.row.divs_made, last === undefined ? 0 : last.pos);
  const added = blocks.map((block, i): Piece => ({
    div_id: (made[i] as DivLayout).div_id,
    text: block.text,
    sep: block.sep,
  }));
  const pieces = withSeparators<Piece>([...before, ...added], [before.length]);
  const behind = added.map((_, i) => before.length + i);
  const unfit = checkLayout(article, before, pieces, behind, context.limits);
  if (unfit !== undefined) return unfit;
  const laid = changedLayouts(before, pieces, [], () => ({}));
  const events = [
    provenance(
      article.row.aid,
      article.row.heads.provenance,
      context,
      'append',
      nextRev(article),
      { made, laid },
      writtenBy(document),
    ),
    ...blocks.map((block, i) =>
      divEntry(article.row.aid, (made[i] as DivLayout).div_id, null, context, 'divide', { text: block.text }),
    ),
  ];
  return { events, conclude: (_, after) => documentResult(after, made, context, false) };
}

/** A document names its own model; without one, the call's stands. */
function writtenBy({ given: { model } }: Document): Partial<Spent> {
  return model === undefined ? {} : { model };
}

/** Appending changes no metadata: a document that sets other metadata is refused instead of half obeyed. */
function otherMetadata({ row }: ArticleState, { given, title }: Document): Fault | undefined {
  const differs = [
    ...(given.title !== undefined && title !== row.title ? ['title'] : []),
    ...(given.status !== undefined && given.status !== row.status ? ['status'] : []),
    ...(given.tags !== undefined && canonicalJson([...given.tags]) !== canonicalJson([...row.meta.tags])
      ? ['tags']
      : []),
    ...(given.category !== undefined && given.category !== row.meta.category ? ['category'] : []),
    ...(given.extra !== undefined && canonicalJson(given.extra) !== canonicalJson(row.meta.extra)
      ? ['extra']
      : []),
  ];
  if (differs.length === 0) return undefined;
  return fault(
    'conflict',
    `${row.slug} exists with another ${differs.join(', ')}; appending a document changes no metadata.`,
    `Leave ${differs.join(', ')} out to append the text, change metadata with ARTICLE_META, or name another slug.`,
    { differs, current_title: row.title },
  );
}

/** Refuses a layout that is too large, or in which the write leaks into other DIVs; `touched` are indexes into `after`. */
export function checkLayout(
  { row: { lead } }: ArticleState,
  before: readonly Piece[],
  after: readonly Piece[],
  touched: readonly number[],
  limits: SizeLimits,
): Fault | undefined {
  return tooLarge(before, after, limits, lead) ?? boundariesMoved(lead, before, after, touched);
}

/** The same for blocks that an article had before: they are judged among themselves, whatever stands now. */
export function checkRestored(
  { row: { lead } }: ArticleState,
  before: readonly Piece[],
  restored: readonly Piece[],
  limits: SizeLimits,
): Fault | undefined {
  const all = restored.map((_, i) => i);
  return tooLarge(before, restored, limits, lead) ?? boundariesMoved(lead, restored, restored, all);
}

const splitArticle = 'Split it into several articles.';

/**
 * The limits of an article (contract §4) hold for what it grows to: a write is refused that adds bytes or DIVs beyond
 * them. An article that is larger already may shrink, move and change as long as it does not grow.
 */
function tooLarge(
  before: readonly Piece[],
  after: readonly Piece[],
  limits: SizeLimits,
  lead: string,
): Fault | undefined {
  if (after.length > before.length) {
    const many = tooManyDivs(after.length, limits);
    if (many !== undefined) return many;
  }
  // Counting bytes waits until characters come near the limit.
  let chars = lead.length;
  for (const { text, sep } of after) chars += text.length + sep.length;
  if (chars * 3 <= limits.articleBytesMax) return undefined;
  const bytes = bytesOf(after, lead);
  if (bytes <= limits.articleBytesMax || bytes <= bytesOf(before, lead)) return undefined;
  return fault(
    'payload_ceiling',
    `The article would have ${bytes} bytes; it may have at most ${limits.articleBytesMax}.`,
    splitArticle,
  );
}

function bytesOf(pieces: readonly Piece[], lead: string): number {
  let bytes = Buffer.byteLength(lead);
  for (const { text, sep } of pieces) bytes += Buffer.byteLength(text) + sep.length;
  return bytes;
}

function tooManyDivs(count: number, { articleDivsMax }: SizeLimits): Fault | undefined {
  if (count <= articleDivsMax) return undefined;
  return fault(
    'payload_ceiling',
    `The article would have ${count} DIVs; it may have at most ${articleDivsMax}.`,
    splitArticle,
  );
}

/** Refuses a write that would leak into other DIVs; `touched` are indexes into `after` (`boundaries.ts`). */
function boundariesMoved(
  lead: string,
  before: readonly Piece[],
  after: readonly Piece[],
  touched: readonly number[],
): Fault | undefined {
  const check = checkBoundaries({ lead, pieces: before }, { lead, pieces: after }, touched);
  if (check.ok) return undefined;
  return fault(
    'boundary_moved',
    `The write would change where ${check.divs.join(', ')} begins or ends, or what it means.`,
    'Close what the text opens (fence, comment, list, table), keep link definitions that others use, and send it again.',
    { divs: check.divs },
  );
}

/**
 * Layouts of the pieces whose separator changed, or that are named in `reshaped`, after a write that kept the
 * order of those that were there before. `shape` gives what else changed of a reshaped one.
 */
export function changedLayouts(
  before: readonly DivRow[],
  pieces: readonly Piece[],
  reshaped: readonly number[],
  shape: (at: number) => Partial<DivLayout>,
): DivLayout[] {
  const known = new Map(before.map((div) => [div.div_id, div]));
  const laid: DivLayout[] = [];
  pieces.forEach((piece, i) => {
    const div = known.get(piece.div_id);
    if (div === undefined || (div.sep === piece.sep && !reshaped.includes(i))) return;
    laid.push({ ...layoutOf(div), ...(reshaped.includes(i) ? shape(i) : {}), sep: piece.sep });
  });
  return laid;
}

export function layoutOf(div: DivRow): DivLayout {
  return {
    div_id: div.div_id,
    pos: div.pos,
    kind: div.kind,
    level: div.level,
    title: div.title,
    sep: div.sep,
  };
}

/** The part of a text's shape that a layout records. */
export function shapeOf(text: string, lead: string | undefined): Pick<DivLayout, 'kind' | 'level' | 'title'> {
  const { kind, level, title } = kindOf(text, lead);
  return { kind, level, title };
}

function layouts(blocks: readonly Block[], made: number, pos: number): DivLayout[] {
  // In the order of their canonical text.
  return blocks.map((block, i) => ({
    div_id: `d${made + i + 1}`,
    kind: block.kind,
    level: block.level,
    pos: pos + i + 1,
    sep: block.sep,
    title: block.title,
  }));
}

function documentResult(
  after: ArticleState,
  made: readonly DivLayout[],
  context: Context,
  created: boolean,
): Result {
  const { slug, title, version, status } = after.row;
  const permalink = links.article(context.base, slug);
  const divs = made.map(({ div_id }) => ({
    div_id,
    vx_hash: after.divs.get(div_id)?.vx_hash ?? '',
    permalink: links.div(context.base, slug, div_id),
  }));
  return {
    result: exactly(DocumentWritten, {
      slug,
      title,
      status,
      created,
      revision: version,
      permalink,
      body_regenerated: true,
      divs,
    }),
    text: `${created ? 'Created' : 'Extended'} "${title}" with ${divs.length} DIVs: ${permalink}`,
    material: [{ kind: 'article', id: slug, url: permalink }],
  };
}
