/**
 * Pictures on other hosts in a text that is saved (contract §8): each is fetched by IMAGE_STORE, a recorded effect behind
 * the egress guard, and served from here. One that cannot be fetched is named with the reason; the form then says whether
 * it becomes a link or is left out.
 */
import {
  foreignImagesOf,
  replaceImages,
  withoutImages,
  type ArticleImage,
  type ImageChoice,
} from '../../../../domain/images/article-images.ts';
import type { BlockChange } from '../../../../model/article-writes.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { countText } from '../../format-text.ts';
import { callRow, type Desk, violationsOf } from './desk.ts';

/** What the form says of pictures. */
export interface PictureFields {
  readonly fetches: boolean;
  /** Also those of paragraphs that the edit leaves alone. */
  readonly all: boolean;
  /** What becomes of those that could not be fetched, by their address. */
  readonly choices: ReadonlyMap<string, ImageChoice>;
}

/** As a form begins. */
export const fetchingPictures: PictureFields = { fetches: true, all: false, choices: new Map() };

/** A picture that could not be fetched. */
export interface PictureFailure extends ArticleImage {
  readonly why: string;
}

export interface FetchedPictures {
  readonly text: string;
  readonly failures: readonly PictureFailure[];
}

/** Pictures that one save fetches. */
export const picturesMax = 20;
const atOnce = 4;

export function pictureFieldsIn(form: Form): PictureFields {
  const choices = [...form].flatMap(([name, url]) => {
    const [, n] = /^picture_url\.(\d{1,4})$/.exec(name) ?? [];
    const choice = n === undefined ? undefined : form.get(`picture.${n}`);
    return choice === 'link' || choice === 'drop' ? [[url, choice] as const] : [];
  });
  return {
    fetches: form.get('fetch_pictures') === '1',
    all: form.get('fetch_all') === '1',
    choices: new Map(choices),
  };
}

export interface FoundPictures {
  /** In paragraphs that the edit makes or changes. */
  readonly changed: readonly ArticleImage[];
  /** Only in other paragraphs. */
  readonly kept: readonly ArticleImage[];
}

/** Finding pictures in unchanged text of this length would hold a preview up. */
const keptCharsMax = 300_000;

/** The pictures on other hosts; none where the session may fetch none. */
export function findPictures(
  { context }: Pick<Desk, 'context'>,
  blocks: readonly { readonly text: string; readonly change: BlockChange }[],
): FoundPictures {
  if (!context.may('IMAGE_STORE')) return { changed: [], kept: [] };
  const { base } = context.site.service;
  const isTouched = (change: BlockChange): boolean => change === 'edited' || change === 'made';
  const textOf = (touched: boolean): string =>
    blocks.flatMap(({ text, change }) => (isTouched(change) === touched ? [text] : [])).join('\n\n');
  const found = (text: string): readonly ArticleImage[] =>
    /!\[|<img/i.test(text) ? foreignImagesOf(text, base) : [];
  const changed = found(textOf(true));
  const rest = textOf(false);
  const known = new Set(changed.map(({ url }) => url));
  return {
    changed,
    kept: rest.length > keptCharsMax ? [] : found(rest).filter(({ url }) => !known.has(url)),
  };
}

/** Those of them that the form asks for. */
export function wantedPictures(
  { changed, kept }: FoundPictures,
  fields: PictureFields,
): readonly ArticleImage[] {
  return fields.fetches ? [...changed, ...(fields.all ? kept : [])] : [];
}

/** The text with the addresses of fetched pictures. Nothing is written to the article. */
export async function fetchPictures(
  desk: Desk,
  text: string,
  wanted: readonly ArticleImage[],
  once: string | undefined,
): Promise<FetchedPictures> {
  const addresses = new Map<string, string>();
  const failures: PictureFailure[] = wanted.slice(picturesMax).map((each) => ({
    ...each,
    why: `One save fetches at most ${picturesMax} pictures; saving again fetches this one.`,
  }));
  const fetchOne = async (image: ArticleImage): Promise<void> => {
    const stored = await storedAddress(desk, image, once);
    if (isFault(stored)) {
      const [first] = violationsOf(stored);
      failures.push({
        ...image,
        why: first === undefined ? stored.message : `${first.message} ${first.fix}`,
      });
    } else addresses.set(image.url, stored);
  };
  const queue = wanted.slice(0, picturesMax);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await fetchOne(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const order = new Map(wanted.map(({ url }, i) => [url, i]));
  return {
    text: replaceImages(text, addresses),
    failures: failures.sort((a, b) => (order.get(a.url) ?? 0) - (order.get(b.url) ?? 0)),
  };
}

async function storedAddress(
  desk: Desk,
  { url, alt }: ArticleImage,
  once: string | undefined,
): Promise<string | Fault> {
  const called = await callRow(desk, 'IMAGE_STORE', { url, alt: alt.slice(0, 1000) }, once);
  if (isFault(called)) return called;
  if (called.status === 'success') return String(called.result['path']);
  return fault(
    'owner_gate_required',
    'Fetching it waits for the owner’s approval.',
    'Save it as a link until then.',
  );
}

/** The text after the choices of the form. */
export function withChoices(text: string, { choices }: PictureFields): string {
  return withoutImages(text, choices);
}

export function unfetched(failures: readonly PictureFailure[]): Fault {
  return fault(
    'content_rule',
    `${countText(failures.length, 'picture')} could not be fetched.`,
    'Choose below what becomes of each, and save again.',
  );
}
