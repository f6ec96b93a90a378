/** Previews of bibliographies, annotations and bundles (contract §8): entry by entry, with what is missing. */
import type { JsonObject } from '../../../../kernel/json.ts';
import type { Citations } from '../../../../represent/intake/citations.ts';
import {
  type AnnotationChoice,
  annotationChoices,
  choicesFor,
  type PlannedAnnotation,
} from '../../../intake/import-annotations.ts';
import type { PlannedSource } from '../../../intake/import-sources.ts';
import { type CurrentArticle, refusalText, type Refused } from '../../../intake/import-target.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { countText } from '../../format-text.ts';
import { addressOf, type ConsoleContext, deskPage } from '../console-page.tsx';
import { Hidden, SkippedFiles } from './import-pages.tsx';

export interface PlaceForm {
  /** What was typed and names no article; '' at first. */
  readonly wanted: string;
  readonly articles: readonly { readonly slug: string; readonly title: string }[];
}

/** A bibliography or annotations belong to an article. */
export function placePage(
  context: ConsoleContext,
  id: string,
  what: string,
  { wanted, articles }: PlaceForm,
): string {
  return deskPage(
    context,
    { title: 'Which article?', here: 'import' },
    <>
      <h1>Which article?</h1>
      <p class="lead">The file holds {what}. They belong to one article.</p>
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <Combobox
          id="article"
          name="article"
          label="Article"
          hint="Its address, or the last part of it, such as what-the-ledger-is."
          error={wanted === '' ? undefined : `There is no article ${wanted}. Choose one of the list.`}
          suggestions={articles.map(({ slug, title }) => ({ value: slug, label: title }))}
          value={wanted}
          required
        />
        <p class="intake-actions">
          <Button kind="primary">Show what would be written</Button>
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
    </>,
  );
}

export interface SourcesForm {
  readonly planned: readonly PlannedSource[];
  readonly skipped: Citations['skipped'];
  /** What is wrong with a form that was sent; undefined at first. */
  readonly problem?: string | undefined;
  /** What a dry run says against an entry. */
  readonly refused?: ReadonlyMap<PlannedSource, string>;
}

export function sourcesPage(
  context: ConsoleContext,
  id: string,
  { planned, skipped, problem, refused }: SourcesForm,
  article: CurrentArticle,
): string {
  const quoted = planned.filter(({ typed }) => typed.quote.trim() !== '').length;
  return deskPage(
    context,
    { title: 'Sources', here: 'import' },
    <>
      <h1>Sources of “{article.title}”</h1>
      <p class="lead">
        {countText(planned.length, 'entry', 'entries')} read
        {quoted === 0 ? '' : `, ${quoted} with a quote`}. A source needs the exact words that it is cited for:
        copy them from the page. Entries without a quote are left out. Nothing is written yet.
      </p>
      {problem === undefined ? null : <Toast kind="refused">{problem}</Toast>}
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <ol class="intake-list">
          {planned.map((each, i) => (
            <li key={i} class="card intake-item">
              <SourceFields
                each={each}
                n={i}
                isSent={problem !== undefined && each.typed.quote.trim() !== ''}
                refused={refused?.get(each)}
              />
            </li>
          ))}
        </ol>
        <p class="intake-actions">
          {planned.length === 0 ? null : <Button kind="primary">Write the sources with a quote</Button>}
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
      <SkippedFiles skipped={skipped} />
    </>,
  );
}

function SourceFields({
  each,
  n,
  isSent,
  refused,
}: {
  readonly each: PlannedSource;
  readonly n: number;
  readonly isSent: boolean;
  readonly refused: string | undefined;
}) {
  const { name, entry, typed, lacks, known } = each;
  const facts = [entry.type, entry.summary].filter((text) => text !== '').join(' · ');
  return (
    <>
      <h2 class="card-title" dir="auto">
        {name}
      </h2>
      <p class="intake-facts">
        {facts}
        {known === undefined ? null : <strong> · already here: {known}, left out</strong>}
      </p>
      {refused === undefined ? null : <p class="field-error">{refused}</p>}
      <Field id={`title_${n}`} label="Title" error={isSent ? lacks.title : undefined}>
        {(wired) => (
          <input {...wired} type="text" name={`title_${n}`} value={typed.title} autocomplete="off" />
        )}
      </Field>
      <Field
        id={`url_${n}`}
        label="Address"
        hint={
          entry.url === '' && !(isSent && lacks.url !== undefined)
            ? 'The entry has no http(s) address and no DOI.'
            : undefined
        }
        error={isSent ? lacks.url : undefined}
      >
        {(wired) => (
          <input
            {...wired}
            type="text"
            inputmode="url"
            name={`url_${n}`}
            value={typed.url}
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Field id={`quote_${n}`} label="Exact quote" hint="Word for word, as it stands there.">
        {(wired) => (
          <textarea {...wired} name={`quote_${n}`} rows={2}>
            {typed.quote}
          </textarea>
        )}
      </Field>
    </>
  );
}

export interface AnnotationsForm {
  readonly planned: readonly PlannedAnnotation[];
  readonly problem?: string | undefined;
  readonly choices?: readonly (AnnotationChoice | undefined)[];
}

export function annotationsPage(
  context: ConsoleContext,
  id: string,
  { planned, problem, choices = [] }: AnnotationsForm,
  article: CurrentArticle,
): string {
  const found = planned.filter(({ div_id: div }) => div !== undefined).length;
  return deskPage(
    context,
    { title: 'Annotations', here: 'import' },
    <>
      <h1>Annotations on “{article.title}”</h1>
      <p class="lead">
        {found} of {countText(planned.length, 'annotation')} {found === 1 ? 'is' : 'are'} at a block of the
        article. Choose what each becomes. Names are as the file has them, and are not verified. Nothing is
        written yet.
      </p>
      {problem === undefined ? null : <Toast kind="refused">{problem}</Toast>}
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <ol class="intake-list">
          {planned.map((annotation, i) => (
            <li key={i} class="card intake-item">
              {annotation.exact === '' ? null : (
                <blockquote class="quote" dir="auto">
                  {annotation.exact}
                </blockquote>
              )}
              <p dir="auto">{annotation.text === '' ? 'A highlight without words.' : annotation.text}</p>
              <p class="intake-facts">
                {annotation.creator === '' ? 'Without a name' : annotation.creator}
                {annotation.created === '' ? '' : ` · ${annotation.created.slice(0, 10)}`}
                {' · '}
                <Anchor context={context} annotation={annotation} article={article} />
              </p>
              {annotation.isKnown ? (
                <p class="intake-facts">
                  <strong>The discussion has this already.</strong>
                </p>
              ) : (
                <Choice
                  legend={<span class="visually-hidden">What annotation {i + 1} becomes</span>}
                  name={`do_${i}`}
                  value={choices[i] ?? 'skip'}
                  options={[
                    { value: 'skip', label: 'Leave out' },
                    ...choicesFor(annotation).map((value) => ({ value, label: annotationChoices[value] })),
                  ]}
                />
              )}
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

function Anchor({
  context,
  annotation: { div_id: div, by, isAmbiguous, exact },
  article,
}: {
  readonly context: ConsoleContext;
  readonly annotation: PlannedAnnotation;
  readonly article: CurrentArticle;
}) {
  if (div === undefined)
    return <strong>{exact === '' ? 'on the whole article' : 'no block holds these words'}</strong>;
  return (
    <>
      <a href={context.site.to.div(article.slug, div)}>block {div}</a>
      {by === 'position' ? ' · by its place alone; check it' : ''}
      {by === 'address' && exact !== '' ? ' · by its address; the words have changed' : ''}
      {isAmbiguous ? ' · other blocks hold these words too' : ''}
    </>
  );
}

export interface BundleForm {
  readonly bundle: JsonObject;
  readonly status: string;
  /** What was typed; the bundle's own at first. */
  readonly slug?: string;
  readonly refused?: Refused;
}

export function bundlePage(
  context: ConsoleContext,
  id: string,
  { bundle, status, slug, refused }: BundleForm,
): string {
  const count = (name: string): number => (Array.isArray(bundle[name]) ? bundle[name].length : 0);
  const violations = refused?.violations ?? [];
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
      {refused === undefined ? null : (
        <Toast kind="refused">
          Nothing was written. {refusalText(refused)}
          {violations.length === 0 ? null : (
            <ul>
              {violations.slice(0, violationsMax).map(({ at, message }) => (
                <li key={at + message}>
                  {at}: {message}
                </li>
              ))}
              {violations.length > violationsMax ? <li>{violations.length - violationsMax} more.</li> : null}
            </ul>
          )}
        </Toast>
      )}
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <Field id="slug" label="Address" hint="Another one where an article has this address already.">
          {(wired) => (
            <input
              {...wired}
              type="text"
              name="slug"
              value={slug ?? String(bundle['slug'] ?? '')}
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

const violationsMax = 20;
