/** `/owner/scrub`: finds a secret, says what taking it out would touch, and takes it out. */
import type { ScrubPlaces } from '../../../app/reads/scrub-places.ts';
import type { Scrubbed } from '../../../model/directory.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { Field } from '../components/field.tsx';
import { countText } from '../format-text.ts';
import { ReceiptLink } from '../parts.tsx';
import { CallForm, type ConsoleContext, consolePage, PublicLink } from './console-page.tsx';

/** The result of a dry run, and where it was. */
export interface ScrubPreview {
  readonly found: Scrubbed;
  readonly places: ScrubPlaces;
  /** The article that was looked through; everything without it. */
  readonly slug: string | undefined;
}

export function scrubPage(context: ConsoleContext, preview?: ScrubPreview): string {
  const finds = preview !== undefined && (preview.found.contents > 0 || preview.found.blobs > 0);
  return consolePage(
    context,
    'scrub',
    <>
      <p class="section-note">
        A secret is replaced by <code>[redacted:secret]</code> in articles with all their revisions, in
        discourse, receipts and large results. Chains still verify; what held it is shown as scrubbed. The
        secret itself is recorded nowhere.
      </p>
      {preview === undefined ? null : <Found context={context} preview={preview} />}
      <CallForm context={context} row="SECRET_SCRUB" section="scrub" name="Scrub">
        <div class="fields">
          <Field
            id="secret"
            label="The secret"
            hint={
              finds
                ? 'Enter it again: it is kept nowhere, not even on this page.'
                : 'As it was written, or the word auto for everything that the rules know.'
            }
          >
            {(wired) => (
              <input type="password" name="secret" autocomplete="new-password" required {...wired} />
            )}
          </Field>
          <Field id="slug" label="Only in the article" hint="Its slug; everywhere when empty.">
            {(wired) => (
              <input type="text" name="slug" autocomplete="off" value={preview?.slug ?? ''} {...wired} />
            )}
          </Field>
        </div>
        <p class="buttons">
          <Button name="shape" value="1" kind={finds ? 'quiet' : 'primary'}>
            Look only
          </Button>
          <Button name="shape" value="0" kind="danger">
            {finds ? 'Take it out of all of these' : 'Scrub'}
          </Button>
        </p>
      </CallForm>
    </>,
  );
}

function Found({ context, preview }: Readonly<{ context: ConsoleContext; preview: ScrubPreview }>) {
  const { found, places } = preview;
  const { articles, calls, others } = places;
  const nothing = found.contents === 0 && found.blobs === 0 && found.held === 0;
  return (
    <section class="toast toast-note" aria-labelledby="found" role="status">
      <h2 id="found">
        {nothing
          ? 'It stands nowhere'
          : `Where it stands: ${countText(found.occurrences, 'time')} in ${countText(found.contents, 'stored content')}`}
      </h2>
      {articles.length === 0 ? null : (
        <ul>
          {articles.map(({ slug, title, status, parts }) => (
            <li key={slug}>
              {status === 'draft' ? (
                <span dir="auto">{title} (draft)</span>
              ) : (
                <PublicLink context={context} href={context.site.to.article(slug)}>
                  {title}
                </PublicLink>
              )}
              :{' '}
              {parts
                .map(({ name, contents }) => (contents === 1 ? name : `${name} (${contents})`))
                .join(', ')}
            </li>
          ))}
        </ul>
      )}
      {calls.length === 0 ? null : (
        <>
          <p>{countText(calls.length, 'receipt')}:</p>
          <ul>
            {calls.map(({ inv, key, ts }) => (
              <li key={inv}>
                <ReceiptLink site={context.site} inv={inv}>
                  {key}
                </ReceiptLink>
                , <Ago iso={ts} />
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length === 0 ? null : <p>Other records: {others.join(', ')}.</p>}
      {found.blobs === 0 && found.held === 0 ? null : (
        <p>
          {countText(found.blobs, 'large result')} and {countText(found.held, 'held record')} would be
          removed.
        </p>
      )}
      {found.more_places ? <p>More places hold it than are listed here; all would be scrubbed.</p> : null}
      {found.unreadable === 0 ? null : (
        <p>
          {countText(found.unreadable, 'altered record')} could not be looked through:{' '}
          {found.unreadable_names?.join(', ')}. Run <code>colophon verify</code>.
        </p>
      )}
      <p>Nothing was changed.</p>
      <Disclosure summary="As the dry run answers">
        <pre class="waiting-request">{JSON.stringify(found, null, 2)}</pre>
      </Disclosure>
    </section>
  );
}
