/**
 * What an import would write (contract §8): the notes of a folder or an Obsidian vault as articles, with their links,
 * images and metadata resolved among the files. Pure; files come from strangers, so everything is bounded and what is
 * not understood is told. Nothing is written here.
 */
import { divide } from '../../domain/articles/divide.ts';
import { slugFrom, slugRules } from '../../domain/articles/slugs.ts';
import { foreignImagesOf, imagesOf, replaceImages } from '../../domain/images/article-images.ts';
import { cleanImage, imageTypeOf } from '../../domain/images/clean-image.ts';
import { isBlank } from '../../domain/text-rules.ts';
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { headingName } from '../article-html.ts';
import {
  otherProperties,
  readFrontMatter,
  withoutFrontMatter,
  type FrontMatter,
  type NoteDates,
} from './front-matter.ts';
import {
  exportedClaims,
  exportedSources,
  withoutExportedParts,
  type ExportedClaim,
  type ExportedSource,
} from './exported-notes.ts';
import { convertedText, inlineTags, notePath, noteText, type NoteLink } from './note-text.ts';
import { boundedSkips, isHidden, type ConvertedNote, type ImportFile, type Skipped } from './read-zip.ts';
import { decodedUri } from '../../kernel/text.ts';

export interface PlannedArticle {
  /** The file that it is made of. */
  readonly path: string;
  readonly slug: string;
  readonly title: string;
  /** The text; addresses of blocks in it are `blockMark` until `resolveBlocks`. */
  readonly markdown: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly dates: NoteDates | undefined;
  readonly status: 'draft' | 'published';
  /** Changes with anything that the file says and an update writes; the status counts when the article is made. */
  readonly file_sha256: string;
  /** The content hash that the article had when it was exported; undefined for any other file. */
  readonly exported: string | undefined;
  readonly claims: readonly ExportedClaim[];
  readonly sources: readonly ExportedSource[];
  /** Paths of the images that it shows. */
  readonly images: readonly string[];
  /** Addresses of images on other hosts. */
  readonly foreign: readonly string[];
  /** Block ids, and the index of the block that each names. */
  readonly blockIds: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
}

/** An image as it was sent; it will be stored under `sha256`, without its metadata. */
export interface PlannedImage {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly removed: readonly string[];
}

export interface ImportPlan {
  readonly articles: readonly PlannedArticle[];
  /** Those that an article shows. */
  readonly images: readonly PlannedImage[];
  readonly skipped: readonly Skipped[];
}

export interface PlanOptions {
  /** The address of the deployment. */
  readonly base: string;
  /** Articles whose notes say nothing of it. */
  readonly status: 'draft' | 'published';
  /** What an article is called by: the file of a vault, which links name, or the title of a document. */
  readonly slugOf: 'file' | 'title';
  /** Slugs that files had at an earlier import. */
  readonly slugs?: ReadonlyMap<string, string>;
}

const noteBytesMax = 2 * 1024 * 1024;

interface Note {
  readonly path: string;
  readonly name: string;
  readonly front: FrontMatter;
  readonly title: string;
  readonly slug: string;
  readonly headings: ReadonlySet<string>;
  readonly converted: ConvertedNote | undefined;
}

export function planNotes(
  { files, skipped }: { readonly files: readonly ImportFile[]; readonly skipped: readonly Skipped[] },
  options: PlanOptions,
): ImportPlan {
  const left: Skipped[] = [...skipped];
  const visible = files.filter(({ path }) => !isHidden(path)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const texts = new Map<string, string>();
  const given = new Map<string, ImportFile>();
  const others: ImportFile[] = [];
  for (const file of visible) {
    if (!notePath.test(file.path)) {
      others.push(file);
      continue;
    }
    const text = textOf(file, left);
    if (text !== undefined) texts.set(file.path, text);
    if (file.converted !== undefined || file.title !== undefined) given.set(file.path, file);
  }
  const isExport = texts.has('Home.md') && visible.some(({ path }) => path === 'checksums.sha256');
  const notes = notesOf(texts, given, { ...options, isExport }, left);
  const images = imagesAmong(others, isExport, left);
  const find = finder(notes, images);
  const shown = new Set<string>();
  const otherNames = new Set(others.map(({ path }) => path.split('/').at(-1)?.toLowerCase() ?? ''));
  const planning = { find, shown, options, texts, isExport, otherNames };
  const articles = notes.map((note) => plannedOf(note, planning));
  for (const path of images.keys())
    if (!shown.has(path)) left.push({ path, why: 'No note shows this image.' });
  return {
    articles,
    images: [...images.values()].filter(({ path }) => shown.has(path)),
    skipped: boundedSkips(left),
  };
}

function textOf({ path, bytes, converted }: ImportFile, left: Skipped[]): string | undefined {
  const say = (why: string): undefined => void left.push({ path, why });
  if (converted !== undefined)
    return isBlank(converted.markdown) ? say('It has no text.') : converted.markdown;
  if (bytes.length > noteBytesMax)
    return say(`It has ${bytes.length} bytes; a note has at most ${noteBytesMax}.`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
    if (text.includes('\0')) return say('It holds NUL characters, so it is no text.');
    return isBlank(text) ? say('It is empty.') : text;
  } catch {
    return say('It is not valid UTF-8. Convert it and import it again.');
  }
}

/** Notes that become articles. The listing of an export and its notes of claims and sources belong to others. */
function notesOf(
  texts: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, ImportFile>,
  { slugOf, slugs, isExport }: PlanOptions & { readonly isExport: boolean },
  left: Skipped[],
): readonly Note[] {
  const taken = new Set<string>(slugs?.values());
  return [...texts].flatMap(([path, text]): Note[] => {
    if (isExport && !path.startsWith('Articles/')) return [];
    const { converted, title: typed } = given.get(path) ?? {};
    const front = converted === undefined ? readFrontMatter(text) : withoutFrontMatter(text, converted);
    if (isBlank(front.body)) {
      left.push({ path, why: 'It has front matter and no text.' });
      return [];
    }
    const name = nameOf(path);
    const division = divide(front.body);
    const headings = isFault(division) ? [] : division.blocks.filter(({ kind }) => kind === 'heading');
    const [first] = isFault(division) ? [] : division.blocks;
    // A vault calls its notes by their files; daily notes all begin with the same section.
    const isTitle = first?.kind === 'heading' && (slugOf === 'title' || first.level === 1);
    const opening = isTitle ? first.title : undefined;
    const title = (typed ?? front.title ?? opening ?? converted?.title ?? name).slice(0, 300);
    const known = slugs?.get(path);
    const wished =
      front.slug !== undefined && slugRules(front.slug, '').length === 0
        ? front.slug
        : slugFrom(slugOf === 'file' ? name : title, slugFrom(name, `note-${sha256Hex(path).slice(0, 8)}`));
    let slug = known ?? wished;
    for (let n = 2; slug !== known && taken.has(slug); n++) slug = `${wished.slice(0, 70)}-${n}`;
    taken.add(slug);
    return [
      { path, name, front, title, slug, headings: new Set(headings.map((each) => each.title)), converted },
    ];
  });
}

function nameOf(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(notePath, '');
}

function imagesAmong(
  files: readonly ImportFile[],
  isExport: boolean,
  left: Skipped[],
): ReadonlyMap<string, PlannedImage> {
  const images = new Map<string, PlannedImage>();
  for (const { path, bytes } of files) {
    if (isExport && (path === 'checksums.sha256' || path === 'Graph.canvas')) continue;
    if (imageTypeOf(bytes) === undefined && !/\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path)) {
      left.push({
        path,
        why: evidencePath.test(path)
          ? 'Bibliographies, annotations and bundles are imported by themselves.'
          : 'It is neither a note nor an image.',
      });
      continue;
    }
    const image = cleanImage(bytes);
    if ('problem' in image) left.push({ path, why: `${image.problem} ${image.fix}` });
    else images.set(path, { path, sha256: sha256Hex(image.bytes), bytes, removed: image.removed });
  }
  return images;
}

const evidencePath = /\.(?:bib|bibtex|ris|json|jsonld)$/i;

type Found = { readonly note: Note } | { readonly image: PlannedImage } | undefined;
type Find = (target: string, from: string) => Found;

/** As Obsidian finds it: by its path from the note or from the top, else by its name, else by an alias. */
function finder(notes: readonly Note[], images: ReadonlyMap<string, PlannedImage>): Find {
  const byPath = new Map<string, Found>();
  const exactly = new Map<string, Found>();
  const byName = new Map<string, { readonly path: string; readonly found: Found }[]>();
  const add = (path: string, found: Found): void => {
    const key = path.toLowerCase();
    byPath.set(key, found);
    exactly.set(path, found);
    const name = key.split('/').at(-1) ?? key;
    byName.set(name, [...(byName.get(name) ?? []), { path: key, found }]);
  };
  for (const note of notes) {
    add(note.path, { note });
    add(note.path.replace(notePath, ''), { note });
  }
  for (const image of images.values()) add(image.path, { image });
  const aliases = new Map(
    notes
      .toReversed()
      .flatMap((note) => note.front.aliases.map((alias) => [alias.toLowerCase(), note] as const)),
  );
  return (target, from) => {
    const wanted = target.normalize('NFC').toLowerCase();
    const folder = from.toLowerCase().split('/').slice(0, -1).join('/');
    const named =
      byName.get(wanted.split('/').at(-1) ?? '')?.filter(({ path }) => path.endsWith(wanted)) ?? [];
    const nearest = named.find(({ path }) => path === joined(folder, wanted)) ?? named.toSorted(byDepth)[0];
    const alias = aliases.get(wanted);
    const here = from.split('/').slice(0, -1).join('/');
    return (
      exactly.get(joined(here, target.normalize('NFC'))) ??
      exactly.get(target.normalize('NFC').replace(/^\/+/, '')) ??
      byPath.get(joined(folder, wanted)) ??
      byPath.get(wanted.replace(/^\/+/, '')) ??
      nearest?.found ??
      (alias === undefined ? undefined : { note: alias })
    );
  };
}

function byDepth(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path.split('/').length - b.path.split('/').length || (a.path < b.path ? -1 : 1);
}

/** A path from a folder, with `..` taken; one that leads out of everything stays there. */
function joined(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
}

interface Planning {
  readonly find: Find;
  readonly shown: Set<string>;
  readonly options: PlanOptions;
  readonly texts: ReadonlyMap<string, string>;
  readonly isExport: boolean;
  /** Names of the files that are no notes, in lower case. */
  readonly otherNames: ReadonlySet<string>;
}

/** Stands for the block of another note until its id is known. */
const blockMark = /\uE001([^|\uE001]*)\|([^\uE001]*)\uE001/g;
const markOf = (slug: string, id: string): string => `\uE001${slug}|${id}\uE001`;

/** As `![[image.png|300x200]]` says it. */
interface ShownSize {
  readonly width: string;
  readonly height: string | undefined;
}

function attributeText(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function plannedOf(
  note: Note,
  { find, shown, options, texts, isExport, otherNames }: Planning,
): PlannedArticle {
  const problems = [...note.front.problems];
  const images = new Set<string>();
  const show = (image: PlannedImage, alt: string, size?: ShownSize): string => {
    images.add(image.path);
    shown.add(image.path);
    if (image.removed.length > 0)
      problems.push(`${image.path}: ${image.removed.join(', ')} will be left out of the image.`);
    const address = `/blobs/${image.sha256}`;
    if (size === undefined) return `![${alt.replace(/[\\[\]]/g, '\\$&')}](${address})`;
    const height = size.height === undefined ? '' : ` height="${size.height}"`;
    return `<img src="${address}" alt="${attributeText(alt)}" width="${size.width}"${height}>`;
  };
  const resolve = (link: NoteLink): string | undefined => {
    const found = link.target === '' ? { note } : find(link.target, note.path);
    if (found === undefined) {
      const why = otherNames.has(link.target.split('/').at(-1)?.toLowerCase() ?? '')
        ? 'is neither a note nor an image'
        : 'is not among the files';
      problems.push(`“${link.target}” ${why}; the link became plain text.`);
      return link.text === '' ? escaped(link.target) : link.text;
    }
    if ('image' in found) {
      const [isSize, width = '', height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(link.text) ?? [];
      const alt =
        isSize !== undefined || link.text === '' ? nameOf(found.image.path).replace(/\.\w+$/, '') : link.text;
      return link.isEmbed
        ? show(found.image, alt, isSize === undefined ? undefined : { width, height })
        : `[${link.text === '' ? escaped(link.target) : link.text}](/blobs/${found.image.sha256})`;
    }
    if (link.isEmbed)
      problems.push(`The note “${found.note.title}” is linked and not shown inside this one.`);
    return linkTo(found.note, note, link, problems);
  };
  const isVault = options.slugOf === 'file' && note.converted === undefined;
  const read = note.converted === undefined ? noteText : convertedText;
  const { text, blockIds, comments } = read(
    withoutExportedParts(note.front.body.replaceAll('\uE001', ''), note.front.properties),
    resolve,
    isExport,
  );
  if (comments > 0) problems.push(`${comments} ${comments === 1 ? 'comment' : 'comments'} (%%) left out.`);
  const local = new Map<string, string>();
  for (const { url } of imagesOf(text)) {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(url)) continue;
    const found = find(decodedUri(url), note.path);
    if (found !== undefined && 'image' in found) {
      images.add(found.image.path);
      shown.add(found.image.path);
      local.set(url, `/blobs/${found.image.sha256}`);
    } else problems.push(`The image ${url.slice(0, 100)} is not among the files.`);
  }
  const markdown = `${replaceImages(text, local).trimEnd()}\n`;
  const foreign = foreignImagesOf(markdown, options.base).map(({ url }) => url);
  const status = note.front.status ?? options.status;
  const { tags: listed, dates } = note.front;
  // Tags in the text are tags of the note, as in Obsidian.
  const tags = [...new Set([...listed, ...(isVault ? inlineTags(text) : [])])]
    .filter((tag) => !(isExport && tag === 'article'))
    .slice(0, tagsMax);
  const others = isExport ? [] : otherProperties(note.front).map((name) => name.slice(0, 60));
  if (others.length > 0)
    problems.push(
      `Properties that an article does not have were left out: ${others.slice(0, 10).join(', ')}${others.length > 10 ? ` and ${others.length - 10} more` : ''}.`,
    );
  return {
    path: note.path,
    slug: note.slug,
    title: note.title,
    markdown,
    tags,
    dates,
    aliases: note.front.aliases.filter((alias) => !(isExport && alias === note.title)),
    status,
    file_sha256: sha256Hex(
      canonicalJson({
        title: note.title,
        tags,
        markdown,
        ...(dates === undefined ? {} : { dates: { ...dates } }),
      }),
    ),
    exported: isExport ? textProperty(note.front, 'content_hash') : undefined,
    claims: isExport ? exportedClaims(texts, note.slug) : [],
    sources: isExport ? exportedSources(texts, note.slug) : [],
    images: [...images],
    foreign,
    blockIds: blockIndexes(text, blockIds),
    problems: boundedProblems(problems),
  };
}

const tagsMax = 50;
const problemsMax = 50;

/** Each once; a note with very many of them names the first. */
function boundedProblems(problems: readonly string[]): readonly string[] {
  const all = [...new Set(problems)];
  const more = all.length - problemsMax;
  return more <= 0 ? all : [...all.slice(0, problemsMax), `${more} more of this kind.`];
}

function textProperty({ properties }: FrontMatter, name: string): string | undefined {
  const value = properties[name];
  return typeof value === 'string' ? value : undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\[\]`*_<>]/g, '\\$&');
}

function linkTo(to: Note, from: Note, { part, text, target }: NoteLink, problems: string[]): string {
  const isHere = to === from;
  const place = part.replace(/^\^/, '');
  const isBlock = part.startsWith('^');
  const label =
    text !== ''
      ? text
      : escaped(part === '' || (isBlock && !isHere) ? target : isHere ? place : `${target} › ${part}`);
  const page = isHere ? '' : `/a/${to.slug}`;
  if (part === '') return `[${label}](${isHere ? `/a/${to.slug}` : page})`;
  if (isBlock) return `[${label}](${page}#${markOf(to.slug, part.slice(1))})`;
  const heading = [...to.headings].find((each) => headingName(each) === headingName(part));
  if (heading === undefined) {
    problems.push(`“${to.title}” has no heading “${part}”; the link leads to its beginning.`);
    return `[${label}](${isHere ? `/a/${to.slug}` : page})`;
  }
  const name = encodeURIComponent(headingName(heading));
  return isHere ? `[${label}](#${name})` : `[${label}](${page}#h-${name})`;
}

/** The index of the block in which each id ended. */
function blockIndexes(markdown: string, ids: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const division = divide(markdown);
  if (isFault(division)) return new Map();
  const ends: number[] = [];
  let at = division.lead.length;
  for (const { text, sep } of division.blocks) ends.push((at += text.length + sep.length));
  return new Map(
    [...ids].map(
      ([id, offset]) =>
        [
          id,
          Math.max(
            0,
            ends.findIndex((end) => offset < end),
          ),
        ] as const,
    ),
  );
}

/** The texts with the ids of blocks in place of their marks; `idOf` answers with nothing for an unknown block. */
export function resolveBlocks(
  articles: readonly PlannedArticle[],
  idOf: (article: PlannedArticle, block: number) => string | undefined,
): readonly PlannedArticle[] {
  const bySlug = new Map(articles.map((article) => [article.slug, article]));
  return articles.map((article) => {
    const problems = [...article.problems];
    const markdown = article.markdown.replace(blockMark, (_, slug: string, id: string) => {
      const other = bySlug.get(slug);
      const index = other?.blockIds.get(id);
      const div = other === undefined || index === undefined ? undefined : idOf(other, index);
      if (div === undefined) problems.push(`There is no block ^${id}; the link leads to the beginning.`);
      return div ?? '';
    });
    return markdown === article.markdown ? article : { ...article, markdown, problems };
  });
}
