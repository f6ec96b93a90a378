/** Previews of bibliographies, annotations and bundles (contract §8): entry by entry, with what is missing. */
import type { JsonObject } from '../../../../kernel/json.ts';
import type { Citations } from '../../../../represent/intake/citations.ts';
import type { MatchedAnnotation } from '../../../../represent/intake/web-annotations.ts';
import type { CurrentArticle } from '../../../intake/run-import.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { countText } from '../../format-text.ts';
import { addressOf, type ConsoleContext, deskPage } from '../console-page.tsx';
import { annotationChoices } from './evidence-import.ts';
import { Hidden, SkippedFiles } from './import-pages.tsx';

/** A bibliography or annotations belong to an article. */
export function placePage(context: ConsoleContext, id: string, what: string, wanted: string): string {
  return deskPage(
    context,
    { title: 'Which article?', here: 'import' },
    <>
      <h1>Which article?</h1>
      <p class="lead">The file holds {what}. They belong to one article.</p>
      {wanted === '' ? null : (
        <Toast kind="refused">There is no article {wanted}. Take the last part of its address.</Toast>
      )}
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <Field id="article" label="Article" hint="The last part of its address, such as what-the-ledger-is.">
          {(wired) => (
            <input {...wired} type="text" name="article" value={wanted} required autocomplete="off" />
          )}
        </Field>
        <p class="intake-actions">
          <Button kind="primary">Show what would be written</Button>
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
    </>,
  );
}

export function sourcesPage(
  context: ConsoleContext,
  id: string,
  { entries, skipped }: Citations,
  article: CurrentArticle,
): string {
  return deskPage(
    context,
    { title: 'Sources', here: 'import' },
    <>
      <h1>Sources of “{article.title}”</h1>
      <p class="lead">
        {countText(entries.length, 'entry', 'entries')} read. A source needs the exact words that it is cited
        for: copy them from the page. Entries without them stay in the report. Nothing is written yet.
      </p>
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <ol class="intake-list">
          {entries.map((entry, i) => (
            <li key={i} class="card intake-item">
              <p class="intake-check">
                <label>
                  <input type="checkbox" name={`take_${i}`} value="1" checked />{' '}
                  <strong dir="auto">{entry.title === '' ? entry.key : entry.title}</strong>
                </label>
                <span class="intake-facts">
                  {[entry.type, entry.summary].filter((each) => each !== '').join(' · ')}
                </span>
              </p>
              <Field id={`title_${i}`} label="Title">
                {(wired) => (
                  <input {...wired} type="text" name={`title_${i}`} value={entry.title} autocomplete="off" />
                )}
              </Field>
              <Field
                id={`url_${i}`}
                label="Address"
                error={entry.url === '' ? 'Missing: the entry has no http(s) address and no DOI.' : undefined}
              >
                {(wired) => (
                  <input {...wired} type="url" name={`url_${i}`} value={entry.url} autocomplete="off" />
                )}
              </Field>
              <Field id={`quote_${i}`} label="Exact quote" hint="Word for word, as it stands there.">
                {(wired) => <textarea {...wired} name={`quote_${i}`} rows={2} />}
              </Field>
            </li>
          ))}
        </ol>
        <p class="intake-actions">
          {entries.length === 0 ? null : <Button kind="primary">Write the chosen sources</Button>}
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
      <SkippedFiles skipped={skipped} />
    </>,
  );
}

export function annotationsPage(
  context: ConsoleContext,
  id: string,
  matched: readonly MatchedAnnotation[],
  article: CurrentArticle,
): string {
  const found = matched.filter(({ div_id: div }) => div !== undefined).length;
  return deskPage(
    context,
    { title: 'Annotations', here: 'import' },
    <>
      <h1>Annotations on “{article.title}”</h1>
      <p class="lead">
        {found} of {countText(matched.length, 'annotation')} quote words that a block of the article holds.
        Choose what each becomes. Names are as the file has them, and are not verified. Nothing is written
        yet.
      </p>
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <ol class="intake-list">
          {matched.map((annotation, i) => (
            <li key={i} class="card intake-item">
              {annotation.exact === '' ? null : (
                <blockquote class="quote" dir="auto">
                  {annotation.exact}
                </blockquote>
              )}
              <p dir="auto">{annotation.text === '' ? 'A highlight without words.' : annotation.text}</p>
              <p class="intake-facts">
                {annotation.creator === '' ? 'Nobody named' : annotation.creator}
                {annotation.created === '' ? '' : ` · ${annotation.created.slice(0, 10)}`}
                {' · '}
                {annotation.div_id === undefined ? (
                  <strong>no block holds these words</strong>
                ) : (
                  <a href={context.site.to.div(article.slug, annotation.div_id)}>block {annotation.div_id}</a>
                )}
                {annotation.isAmbiguous ? ' · other blocks hold them too' : ''}
              </p>
              <Choice
                legend={<span class="visually-hidden">What annotation {i + 1} becomes</span>}
                name={`do_${i}`}
                value="skip"
                options={optionsFor(annotation)}
              />
            </li>
          ))}
        </ol>
        <p class="intake-actions">
          <Button kind="primary">Write what is chosen</Button>
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
    </>,
  );
}

/** Only what the annotation can be. */
function optionsFor({ div_id: div, text }: MatchedAnnotation) {
  return Object.entries(annotationChoices)
    .filter(
      ([value]) =>
        value === 'skip' ||
        value === 'attestation' ||
        (text !== '' && (div !== undefined || value === 'question')),
    )
    .map(([value, label]) => ({ value, label }));
}

export function bundlePage(context: ConsoleContext, id: string, bundle: JsonObject, status: string): string {
  const count = (name: string): number => (Array.isArray(bundle[name]) ? bundle[name].length : 0);
  return deskPage(
    context,
    { title: 'A bundle', here: 'import' },
    <>
      <h1>A bundle of another deployment</h1>
      <p class="lead">
        “{String(bundle['title'] ?? bundle['slug'] ?? 'Untitled')}”: {countText(count('voxels'), 'block')},{' '}
        {countText(count('claims'), 'claim')}, {countText(count('sources'), 'source')}. Its chains are
        verified before anything is written; it becomes{' '}
        {status === 'published' ? 'a published article' : 'a draft'}.
      </p>
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <Field id="slug" label="Address" hint="Another one where an article has this address already.">
          {(wired) => (
            <input
              {...wired}
              type="text"
              name="slug"
              value={String(bundle['slug'] ?? '')}
              autocomplete="off"
            />
          )}
        </Field>
        <p class="intake-actions">
          <Button kind="primary">Verify and write</Button>
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
    </>,
  );
}
