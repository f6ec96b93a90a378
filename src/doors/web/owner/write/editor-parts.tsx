/** Parts that the editor of an article and the form of a new one share (contract §8): text, preview, errors and keys. */
import type { ComponentChildren } from 'preact';
import type { Fault } from '../../../../kernel/fault.ts';
import { opaqueId } from '../../../../kernel/ids.ts';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import type { ConsoleContext } from '../console-page.tsx';
import { memberOf, violationsOf, writePaths } from './desk.ts';

export function TextPane({
  fields,
  refusal,
  children,
}: Readonly<{
  fields: { readonly text: string; readonly block?: string | undefined };
  refusal?: Fault | undefined;
  children?: ComponentChildren;
}>) {
  const error = errorsOf(refusal).get('text');
  return (
    <div class="editor-pane editor-text">
      <Field
        id="text"
        label={fields.block === undefined ? 'Text, in Markdown' : `Block ${fields.block}, in Markdown`}
        error={error}
      >
        {(wired) => (
          // A line end behind the opening tag is dropped by browsers.
          <textarea
            name="text"
            rows={fields.block === undefined ? 24 : 8}
            required={fields.block === undefined}
            dir="auto"
            spellcheck
            value={fields.text.startsWith('\n') ? `\n${fields.text}` : fields.text}
            {...wired}
          />
        )}
      </Field>
      {children}
    </div>
  );
}

export function PreviewPane({ children }: { readonly children: ComponentChildren }) {
  return (
    <section class="editor-pane editor-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <div id="preview">{children}</div>
    </section>
  );
}

export function Keys() {
  return (
    <p class="section-note editor-keys">
      <kbd>Ctrl</kbd>+<kbd>S</kbd> saves, <kbd>Ctrl</kbd>+<kbd>Enter</kbd> publishes, <kbd>Esc</kbd> leaves,{' '}
      <kbd>Ctrl</kbd>+<kbd>F</kbd> finds, <kbd>Ctrl</kbd>+<kbd>]</kbd> indents; <kbd>Tab</kbd> goes on to the
      next field. What you typed stays in this browser until it is saved.
    </p>
  );
}

/** Where a page stands: the list of articles, the article, and the page. */
export function Crumbs({
  context,
  article,
  children,
}: Readonly<{
  context: ConsoleContext;
  article?: { readonly slug: string; readonly title: string };
  children: ComponentChildren;
}>) {
  const paths = writePaths(context.site.root);
  return (
    <p class="crumbs">
      <a href={paths.articles}>Articles</a> ›{' '}
      {article === undefined ? null : (
        <>
          <a href={paths.article(article.slug)} dir="auto">
            {article.title}
          </a>{' '}
          ›{' '}
        </>
      )}
      {children}
    </p>
  );
}

/** Messages by the field that they are about. */
export function errorsOf(refusal: Fault | undefined): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  for (const violation of violationsOf(refusal)) {
    const member = memberOf(violation);
    const field = member === 'note' || member === 'title' || member === 'slug' ? member : fieldNames[member];
    if (field !== undefined)
      errors.set(field, `${errors.get(field) ?? ''} ${violation.message} ${violation.fix}`.trim());
  }
  return errors;
}

const fieldNames: Readonly<Record<string, string>> = {
  text: 'text',
  markdown: 'text',
  blocks: 'text',
  tags: 'tags',
  category: 'category',
};

/** What was refused, above the form; what its fields say is not repeated. */
export function Refused({
  refusal,
  said = errorsOf(refusal).size > 0,
  others = [],
  children = 'Nothing was saved.',
}: Readonly<{
  refusal: Fault | undefined;
  /** The fields say what to do. */
  said?: boolean;
  /** Errors that no field shows. */
  others?: readonly string[];
  children?: ComponentChildren;
}>) {
  if (refusal === undefined) return null;
  return (
    <Toast kind="refused">
      <p>
        <strong>{children}</strong> {refusal.message} {said ? '' : refusal.fix} {others.join(' ')}
      </p>
    </Toast>
  );
}

/** The hidden fields of every form: `version` is that of the article which it was made from. */
export function Hidden({ context, version }: Readonly<{ context: ConsoleContext; version?: number }>) {
  return (
    <>
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      {version === undefined ? null : <input type="hidden" name="version" value={version} />}
    </>
  );
}
