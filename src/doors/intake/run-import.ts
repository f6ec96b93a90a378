/**
 * Carrying out an import (contract §8): planned articles are compared with those that are here, rehearsed, and written
 * one after another through the rows that any caller has. Each article is written whole or not at all; one that was
 * changed on both sides is left alone and told. The browser and the command line share it.
 */
import { sameSource } from '../../domain/articles/same-source.ts';
import { matchBlocks, type MatchedBlocks } from '../../domain/articles/match-blocks.ts';
import { replaceImages } from '../../domain/images/article-images.ts';
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import {
  resolveBlocks,
  type ImportPlan,
  type PlannedArticle,
  type PlannedImage,
} from '../../represent/intake/plan-notes.ts';
import { refusalText, type CurrentArticle, type ImportTarget, type Refused } from './import-target.ts';

/**
 * What an earlier import wrote: the file as it was, and the article as it was afterwards. An article is made with the
 * mark of no file (`''`), and gets its own once everything of the file is written.
 */
export interface ImportMark {
  readonly file_sha256: string;
  readonly content_hash: string;
}

/**
 * `new`, `update` and `unchanged` say themselves. `kept`: the article was changed here and the file was not. `conflict`:
 * both were. `taken`: the article at this address came from elsewhere.
 */
export type Standing = 'new' | 'update' | 'unchanged' | 'kept' | 'conflict' | 'taken';

export interface Compared {
  readonly article: PlannedArticle;
  readonly current: CurrentArticle | undefined;
  readonly standing: Standing;
  readonly blocks: MatchedBlocks | undefined;
  /** An earlier import made the article and was interrupted. */
  readonly isBegun: boolean;
  /** What a rehearsal of the write says against it. */
  readonly refused?: Refused | undefined;
}

/** The mark of an article that came from this file. */
function markIn({ extra }: Pick<CurrentArticle, 'extra'>, path: string): ImportMark | undefined {
  const mark = extra['import'];
  if (mark === null || typeof mark !== 'object' || Array.isArray(mark)) return undefined;
  const { note, file_sha256: file, content_hash: content } = mark as JsonObject;
  return note === noteOf(path) && typeof file === 'string' && typeof content === 'string'
    ? { file_sha256: file, content_hash: content }
    : undefined;
}

/** The path of a note may be private: articles are marked with a hash of it. */
function noteOf(path: string): string {
  return sha256Hex(`note\n${path}`).slice(0, 24);
}

/** What the last import of an article left, where a record beside the articles says it. */
export type MarkOf = (article: PlannedArticle) => ImportMark | undefined;

/** Without `markOf` the articles themselves carry their marks. */
export async function compareImport(
  target: ImportTarget,
  plan: ImportPlan,
  markOf?: MarkOf,
): Promise<readonly Compared[]> {
  const current = new Map<string, CurrentArticle>();
  for (const { slug } of plan.articles) {
    const found = await target.article(slug);
    if (found !== undefined) current.set(slug, found);
  }
  const idOf = (article: PlannedArticle, block: number): string | undefined =>
    blockId(article, current.get(article.slug), block);
  const articles = resolveBlocks(plan.articles, idOf);
  const compared: Compared[] = [];
  for (const article of articles) {
    const here = current.get(article.slug);
    const matched = here === undefined ? undefined : matchBlocks(here.layout, article.markdown);
    const blocks = matched === undefined || isFault(matched) ? undefined : matched;
    const mark =
      here === undefined ? undefined : markOf === undefined ? markIn(here, article.path) : markOf(article);
    const standing =
      here === undefined ? 'new' : standingOf(article, here, blocks, mark, markOf === undefined);
    const isBegun = mark?.file_sha256 === '' && here?.status === 'draft';
    const each = { article, current: here, standing, blocks, isBegun };
    compared.push({ ...each, refused: writes(standing) ? await rehearsed(target, each) : undefined });
  }
  return compared;
}

export function writes(standing: Standing): boolean {
  return standing === 'new' || standing === 'update';
}

/** The id that a block of a planned article has, or will have. */
function blockId(
  article: PlannedArticle,
  current: CurrentArticle | undefined,
  block: number,
): string | undefined {
  if (current === undefined) return `d${block + 1}`;
  const matched = matchBlocks(current.layout, article.markdown);
  if (isFault(matched)) return undefined;
  const found = matched.blocks[block];
  if (found?.div_id !== undefined) return found.div_id;
  const made = matched.blocks.slice(0, block + 1).filter(({ div_id: id }) => id === undefined).length;
  return found === undefined ? undefined : `d${current.blocksMade + made}`;
}

function standingOf(
  article: PlannedArticle,
  here: CurrentArticle,
  blocks: MatchedBlocks | undefined,
  mark: ImportMark | undefined,
  isMarked: boolean,
): Standing {
  const isBegun = mark?.file_sha256 === '';
  const isSame =
    blocks !== undefined &&
    blocks.removed.length === 0 &&
    blocks.blocks.every(({ change }) => change === 'kept');
  const saysSame = here.title === article.title && sameWords(here.tags, article.tags);
  if (isSame && saysSame && !isBegun) {
    // An import that was interrupted, or an article that was changed alike, leaves the mark behind.
    const isStale =
      isMarked &&
      mark !== undefined &&
      (mark.file_sha256 !== article.file_sha256 || mark.content_hash !== here.content_hash);
    return isStale ? 'update' : 'unchanged';
  }
  const base =
    mark ??
    (article.exported === undefined ? undefined : { file_sha256: '', content_hash: article.exported });
  if (base === undefined) return 'taken';
  const isChangedHere = here.content_hash !== base.content_hash;
  if (base.file_sha256 === article.file_sha256) return isChangedHere ? 'kept' : 'unchanged';
  return isChangedHere && !isSame ? 'conflict' : 'update';
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

function rehearsed(
  target: ImportTarget,
  { article, current, blocks }: Pick<Compared, 'article' | 'current' | 'blocks'>,
): Promise<Refused | undefined> {
  return current === undefined
    ? target.rehearse('VOXEL_BATCH', documentOf(article, article.markdown, {}))
    : target.rehearse('ARTICLE_REWRITE', rewriteOf(current, blocks, article.markdown));
}

function documentOf({ slug, title, tags }: PlannedArticle, markdown: string, more: JsonObject): JsonObject {
  return {
    document: { slug, title, markdown, tags: [...tags], status: 'draft', expected_version: 0, ...more },
  };
}

function rewriteOf(current: CurrentArticle, blocks: MatchedBlocks | undefined, markdown: string): JsonObject {
  const all = blocks?.blocks.map(({ div_id: id, text }): JsonObject => {
    const hash = id === undefined ? undefined : current.hashes.get(id);
    return {
      text,
      ...(id === undefined ? {} : { div_id: id, ...(hash === undefined ? {} : { expected_hash: hash }) }),
    };
  });
  return {
    slug: current.slug,
    expected_version: current.version,
    blocks: all ?? [{ text: markdown }],
    note: 'Imported again from its file.',
  };
}

export interface Written {
  readonly path: string;
  readonly slug: string;
  readonly title: string;
  readonly standing: Standing;
  /** What was done, in words; undefined where nothing was. */
  readonly done: string | undefined;
  readonly receipts: readonly string[];
  /** What was not done, and why. */
  readonly problems: readonly string[];
  /** What the next import compares with. */
  readonly mark: ImportMark | undefined;
}

export interface RunOptions {
  /** Fetch images from other hosts and serve them from here. */
  readonly fetchImages: boolean;
  /** Whether the article keeps the mark of the import; a followed folder has its own record. */
  readonly marks: boolean;
  /** Of articles that are made. */
  readonly category?: string | undefined;
}

/** Told before an article is made and after it was written, so that a record can be kept over a crash. */
export interface RunListener {
  onBegin?(article: PlannedArticle, mark: ImportMark): void;
  onWritten?(written: Written): void;
  /** The import ends before the next article. */
  readonly signal?: AbortSignal | undefined;
}

/** Writes what is new and what has changed, one article after another. */
export async function runImport(
  target: ImportTarget,
  compared: readonly Compared[],
  images: readonly PlannedImage[],
  options: RunOptions,
  listener: RunListener = {},
): Promise<readonly Written[]> {
  const byPath = new Map(images.map((image) => [image.path, image]));
  const report: Written[] = [];
  for (const each of compared) {
    if (listener.signal?.aborted === true) break;
    const written = writes(each.standing)
      ? await new ArticleImport(target, each, byPath, options, listener).run()
      : untouched(each);
    report.push(written);
    listener.onWritten?.(written);
  }
  return report;
}

const whyUntouched: Readonly<Record<Exclude<Standing, 'new' | 'update'>, readonly string[]>> = {
  unchanged: [],
  kept: ['It was changed here and the file was not: it stays as it is.'],
  conflict: ['It was changed here and in the file since the last import: nothing was written.'],
  taken: ['An article that did not come from this file has this address: nothing was written.'],
};

function untouched({ article, standing, current }: Compared): Written {
  const mark =
    standing === 'unchanged' && current !== undefined
      ? { file_sha256: article.file_sha256, content_hash: current.content_hash }
      : undefined;
  const problems = standing === 'new' || standing === 'update' ? [] : whyUntouched[standing];
  return { ...headOf(article), standing, done: undefined, receipts: [], problems: [...problems], mark };
}

function headOf({ path, slug, title }: PlannedArticle) {
  return { path, slug, title };
}

/** One article on its way: images first, then the text, then sources, claims and metadata. */
class ArticleImport {
  readonly #receipts: string[] = [];
  readonly #problems: string[];
  readonly #target: ImportTarget;
  readonly #compared: Compared;
  readonly #images: ReadonlyMap<string, PlannedImage>;
  readonly #options: RunOptions;
  readonly #listener: RunListener;

  constructor(
    target: ImportTarget,
    compared: Compared,
    images: ReadonlyMap<string, PlannedImage>,
    options: RunOptions,
    listener: RunListener,
  ) {
    this.#listener = listener;
    this.#target = target;
    this.#compared = compared;
    this.#images = images;
    this.#options = options;
    this.#problems = [...compared.article.problems];
  }

  async run(): Promise<Written> {
    const { article, current, standing } = this.#compared;
    const failed = (done?: string): Written => ({ ...this.#end(done), mark: undefined });
    if (!(await this.#storeImages())) return failed();
    const markdown = await this.#withForeignImages(article.markdown);
    const text =
      current === undefined ? await this.#create(markdown) : await this.#rewrite(current, markdown);
    if (text === undefined) return failed();
    const version = typeof text['revision'] === 'number' ? text['revision'] : (current?.version ?? 1);
    const done = current === undefined ? 'written as a draft' : 'updated';
    // A document is divided exactly, so that its hash is known; a rewrite answers with it.
    const content = typeof text['content_hash'] === 'string' ? text['content_hash'] : sha256Hex(markdown);
    const mark = { file_sha256: article.file_sha256, content_hash: content };
    const isBegun = this.#isBegun();
    const then = isBegun ? await this.#writeEvidence(version) : version;
    const published = await this.#writeMeta(current, then, mark);
    if (!published) return failed(done);
    const status = isBegun ? article.status : (current?.status ?? article.status);
    return {
      ...this.#end(
        standing === 'new' || isBegun ? `written as ${status === 'draft' ? 'a draft' : status}` : done,
      ),
      mark,
    };
  }

  #end(done: string | undefined): Omit<Written, 'mark'> {
    const { article, standing } = this.#compared;
    return { ...headOf(article), standing, done, receipts: this.#receipts, problems: this.#problems };
  }

  async #call(key: string, args: JsonObject): Promise<JsonObject | undefined> {
    const called = await this.#target.call(key, args);
    if (called.ok) {
      this.#receipts.push(called.inv);
      return called.result;
    }
    this.#problems.push(refusalText(called));
    return undefined;
  }

  /** An article never names an image that is not here. */
  async #storeImages(): Promise<boolean> {
    const { article, current } = this.#compared;
    const text = current?.layout.pieces.map((piece) => piece.text).join('\n') ?? '';
    for (const path of article.images) {
      const image = this.#images.get(path);
      if (image === undefined || text.includes(image.sha256)) continue;
      const stored = await this.#call('IMAGE_STORE', { data: Buffer.from(image.bytes).toString('base64') });
      if (stored === undefined) return false;
    }
    return true;
  }

  async #withForeignImages(markdown: string): Promise<string> {
    const { article } = this.#compared;
    if (!this.#options.fetchImages) return markdown;
    const addresses = new Map<string, string>();
    for (const url of article.foreign) {
      const stored = await this.#call('IMAGE_STORE', { url });
      if (stored !== undefined) addresses.set(url, String(stored['path']));
      else this.#problems.push(`The image ${url} stays a link.`);
    }
    return replaceImages(markdown, addresses);
  }

  /** The mark says that the article is begun, so that an import after a crash carries on with it. */
  #create(markdown: string): Promise<JsonObject | undefined> {
    const { article } = this.#compared;
    const mark = { file_sha256: '', content_hash: sha256Hex(markdown) };
    this.#listener.onBegin?.(article, mark);
    const { marks, category } = this.#options;
    const more: JsonObject = {
      ...(marks ? { extra: { import: { note: noteOf(article.path), ...mark } } } : {}),
      ...(category === undefined ? {} : { category }),
    };
    return this.#call('VOXEL_BATCH', documentOf(article, markdown, more));
  }

  /** Whether sources, claims and status are still to be written. */
  #isBegun(): boolean {
    const { current, isBegun } = this.#compared;
    return current === undefined || isBegun;
  }

  #rewrite(current: CurrentArticle, markdown: string): Promise<JsonObject | undefined> {
    const matched = matchBlocks(current.layout, markdown);
    return this.#call(
      'ARTICLE_REWRITE',
      rewriteOf(current, isFault(matched) ? undefined : matched, markdown),
    );
  }

  /** Sources and claims of an exported article; answers with its version. */
  async #writeEvidence(version: number): Promise<number> {
    const { article, current } = this.#compared;
    const { slug } = article;
    const here = new Map(current?.sources.map(({ id, url, quote }) => [sameSource(url, quote), id]));
    const ids = new Map(
      article.sources.flatMap(({ id, url, quote }) => {
        const known = here.get(sameSource(url, quote));
        return known === undefined ? [] : [[id, known] as const];
      }),
    );
    const missing = article.sources.filter(({ id }) => !ids.has(id));
    let now = version;
    if (missing.length > 0) {
      const sources = missing.map(({ id: _id, accessed_at: at, ...source }) => ({
        ...source,
        ...(at === undefined ? {} : { accessed_at: at }),
      }));
      const written = await this.#call('SOURCE_POST', { slug, sources });
      const made = (written?.['source_ids'] ?? []) as readonly string[];
      missing.forEach(({ id }, i) => made[i] !== undefined && ids.set(id, made[i]));
      now = versionIn(written, now);
    }
    for (const { id: _id, source_ids: cited, why_material: why, ...claim } of article.claims) {
      if (current?.claims.includes(claim.text) === true) continue;
      const source_ids = cited.flatMap((id) => ids.get(id) ?? []);
      const written = await this.#call('CLAIM_POST', {
        slug,
        ...claim,
        ...(source_ids.length === 0 ? {} : { source_ids }),
        ...(why === '' ? {} : { why_material: why }),
      });
      now = versionIn(written, now);
    }
    return now;
  }

  async #writeMeta(current: CurrentArticle | undefined, version: number, mark: ImportMark): Promise<boolean> {
    const { article } = this.#compared;
    const wanted: JsonObject = {
      ...(this.#options.marks ? { import: { note: noteOf(article.path), ...mark } } : {}),
      ...(article.aliases.length === 0 ? {} : { aliases: [...article.aliases] }),
      ...(article.dates === undefined ? {} : { dates: { ...article.dates } }),
    };
    const extra = Object.fromEntries(
      Object.entries(wanted).filter(
        ([name, value]) => canonicalJson(value ?? null) !== canonicalJson(current?.extra[name] ?? null),
      ),
    );
    const meta: Record<string, JsonValue> = {};
    if (Object.keys(extra).length > 0) meta['extra'] = extra;
    if (current !== undefined && current.title !== article.title) meta['title'] = article.title;
    if (current !== undefined && !sameWords(current.tags, article.tags)) meta['tags'] = [...article.tags];
    if (this.#isBegun() && article.status === 'published') meta['status'] = 'published';
    if (Object.keys(meta).length === 0) return true;
    const written = await this.#call('ARTICLE_META', {
      slug: article.slug,
      expected_version: version,
      ...meta,
    });
    return written !== undefined;
  }
}

function versionIn(result: JsonObject | undefined, before: number): number {
  return typeof result?.['revision'] === 'number' ? result['revision'] : before;
}
