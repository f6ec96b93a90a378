/** The pictures on other hosts in the text of a form (contract §8): whether they are fetched, and what becomes of failed ones. */
import type { ArticleImage } from '../../../../domain/images/article-images.ts';
import { Choice } from '../../components/choice.tsx';
import { countText } from '../../format-text.ts';
import { ContributedLink } from '../../parts.tsx';
import type { FoundPictures, PictureFailure } from './save-images.ts';

export interface PicturesView extends FoundPictures {
  /** Whether the boxes are checked. */
  readonly fetches: boolean;
  readonly all: boolean;
  readonly failures: readonly PictureFailure[];
}

/** Shown without a script also where there are none, because the text may get some before it is sent. */
export function Pictures({ view }: { readonly view: PicturesView | undefined }) {
  if (view === undefined) return null;
  const { changed, kept, fetches, all, failures } = view;
  const failed = new Set(failures.map(({ url }) => url));
  const open = changed.filter(({ url }) => !failed.has(url));
  return (
    <fieldset
      class="pictures"
      id="pictures"
      data-count={changed.length + kept.length}
      aria-describedby="pictures-hint"
    >
      <legend>Pictures on other hosts</legend>
      {failures.map((each, i) => (
        <Failure key={each.url} picture={each} at={i} />
      ))}
      <label class="check">
        <input type="checkbox" name="fetch_pictures" value="1" checked={fetches} />{' '}
        <span data-label>
          {open.length === 0
            ? 'Fetch the pictures of changed paragraphs and serve them from here'
            : `Fetch ${open.length === 1 ? 'this picture and serve it' : `these ${open.length} pictures and serve them`} from here`}
        </span>
      </label>
      {open.length === 0 ? null : (
        <ul>
          {open.map((each) => (
            <li key={each.url}>
              <Address picture={each} />
            </li>
          ))}
        </ul>
      )}
      {kept.length === 0 ? null : (
        <label class="check">
          <input type="checkbox" name="fetch_all" value="1" checked={all} />{' '}
          <span>Also {countText(kept.length, 'picture')} in paragraphs that you did not change</span>
        </label>
      )}
      <p class="field-hint" id="pictures-hint">
        Readers’ browsers ask no other host: a picture that is not fetched is a link to them.
      </p>
    </fieldset>
  );
}

function Address({ picture: { url, alt } }: { readonly picture: ArticleImage }) {
  return (
    <>
      <ContributedLink href={url}>{shortAddress(url)}</ContributedLink>
      {alt === '' ? null : (
        <>
          {' '}
          (<bdi>{alt}</bdi>)
        </>
      )}
    </>
  );
}

function Failure({ picture, at }: Readonly<{ picture: PictureFailure; at: number }>) {
  return (
    <div class="picture-failed">
      <p class="field-error">
        <Address picture={picture} />: {picture.why}
      </p>
      <input type="hidden" name={`picture_url.${at}`} value={picture.url} />
      <Choice
        legend={<span class="visually-hidden">What becomes of {shortAddress(picture.url)}</span>}
        name={`picture.${at}`}
        value="link"
        options={[
          { value: 'link', label: 'Keep it as a link' },
          { value: 'drop', label: 'Leave it out' },
          { value: 'again', label: 'Try again' },
        ]}
      />
    </div>
  );
}

/** Host and name of the file. */
function shortAddress(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: '' };
  const name = pathname.split('/').at(-1) ?? '';
  return `${host}/${pathname.lastIndexOf('/') > 0 ? '…/' : ''}${name}`.slice(0, 100);
}
