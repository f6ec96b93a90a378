/**
 * `/owner/new` and `/owner/a/<slug>/edit` (contract §8): one form with the text in a plain textarea, which
 * `web/editor.ts` turns into an editor with a live preview. A refused form comes back filled; where the article has
 * moved meanwhile, the merge of both texts is shown before anything is saved.
 */
import type { ComponentChildren } from 'preact';
import type { LaterChange } from '../../../../app/reads/editing.ts';
import { isConflict, type BlockConflict, type Merged } from '../../../../domain/articles/merge-blocks.ts';
import type { Piece } from '../../../../domain/articles/blocks-change.ts';
import { titleCharsMax } from '../../../../domain/articles/write-document.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { opaqueId } from '../../../../kernel/ids.ts';
import type { ArticleStatus } from '../../../../model/vocabulary.ts';
import { wordDiff } from '../../../../represent/word-diff.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Choice } from '../../components/choice.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { actorText, countText } from '../../format-text.ts';
import { plainText, wordsOf } from '../../plain-words.ts';
import { type ConsoleContext, deskPage } from '../console-page.tsx';
import { BlockChanges } from './changes.tsx';
import { memberOf, violationsOf, writePaths } from './desk.ts';
import { Preview, type PreviewView } from './preview.tsx';

export interface EditedArticle {
  readonly slug: string;
  readonly title: string;
  readonly status: ArticleStatus;
}

/** What the form holds. */
export interface EditFields {
  readonly title: string;
  readonly text: string;
  readonly note: string;
  /** The version that the text was made from, and its blocks as `d1:<hash>` in their order. */
  readonly version: number;
  readonly blocks: string;
  /** The only block that is edited. */
  readonly block?: string | undefined;
}

export interface MergeView {
  /** The version that the merge was made from. */
  readonly from: number;
  readonly base: readonly Piece[];
  readonly merged: readonly Merged[];
  readonly changes: readonly LaterChange[];
  /** Who changed a block last, by its id. */
  readonly lastChange: ReadonlyMap<string, { readonly actor: string; readonly ts: string }>;
}

export interface EditView {
  readonly article: EditedArticle;
  readonly fields: EditFields;
  readonly preview: PreviewView;
  readonly refusal?: Fault | undefined;
  readonly merge?: MergeView | undefined;
  /** The form came back: what it holds is newer than a draft of this browser. */
  readonly isSent: boolean;
}

const noteHint = 'In a few words; it stands in the history.';

export function editPage(context: ConsoleContext, view: EditView): string {
  const { article, fields, merge, preview } = view;
  const paths = writePaths(context.site.root);
  const conflicts = merge?.merged.filter(isConflict) ?? [];
  const isWhole = fields.block === undefined && conflicts.length === 0;
  return deskPage(
    context,
    { title: `Edit ${article.title}`, here: 'articles', scripts: ['editor'] },
    <>
      <h1 class="visually-hidden">Edit {article.title}</h1>
      <p class="crumbs">
        <a href={paths.articles}>Articles</a> ›{' '}
        <a href={paths.article(article.slug)} dir="auto">
          {article.title}
        </a>{' '}
        › {fields.block === undefined ? 'Edit' : `Edit block ${fields.block}`} <Chip state={article.status} />
      </p>
      <Refused refusal={view.refusal} />
      {merge === undefined ? null : <MergeNotice merge={merge} />}
      <form
        method="post"
        action={paths.edit(article.slug)}
        class="editor"
        id="editor"
        data-slug={article.slug}
        data-base={fields.version}
        data-sent={view.isSent ? '1' : undefined}
        data-preview={paths.preview(article.slug)}
        data-leave={paths.article(article.slug)}
      >
        <HiddenFields context={context} />
        <input type="hidden" name="version" value={fields.version} />
        <input type="hidden" name="blocks" value={fields.blocks} />
        {fields.block === undefined ? null : <input type="hidden" name="block" value={fields.block} />}
        <EditorHead
          view={view}
          publishes={article.status !== 'draft'}
          mayPublish={article.status === 'draft' && context.may('ARTICLE_META', article.slug)}
          hasPreview={conflicts.length === 0}
        />
        {conflicts.length > 0 && merge !== undefined ? (
          <Conflicts merge={merge} />
        ) : (
          <div class="editor-panes">
            <TextPane fields={fields} refusal={view.refusal}>
              <p class="editor-tools" id="editor-tools">
                {fields.block === undefined ? null : (
                  <a href={paths.edit(article.slug)}>Edit the whole text</a>
                )}
                {context.may('CLAIM_POST', article.slug) ? (
                  <a href={paths.claim(article.slug)} target="_blank" data-dialog="claim-dialog">
                    Make a claim
                  </a>
                ) : null}
                {context.may('SOURCE_POST', article.slug) ? (
                  <a href={paths.source(article.slug)} target="_blank" data-dialog="source-dialog">
                    Add a source
                  </a>
                ) : null}
              </p>
            </TextPane>
            <PreviewPane>
              <Preview view={preview} paths={paths} mayClaim={context.may('CLAIM_REPAIR', article.slug)} />
            </PreviewPane>
          </div>
        )}
      </form>
      {isWhole || fields.block !== undefined ? <Keys /> : null}
    </>,
  );
}

function HiddenFields({ context }: { readonly context: ConsoleContext }) {
  return (
    <>
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      <input type="hidden" name="workspace" value={context.workspace} />
    </>
  );
}

/** Title, note and buttons, in one bar that stays in view. */
function EditorHead({
  view: { fields, refusal, preview },
  publishes,
  mayPublish,
  hasPreview,
}: Readonly<{ view: EditView; publishes: boolean; mayPublish: boolean; hasPreview: boolean }>) {
  const errors = errorsOf(refusal);
  return (
    <div class="editor-head">
      <Field id="title" label="Title" error={errors.get('title')}>
        {(wired) => (
          <input
            type="text"
            name="title"
            value={fields.title}
            required
            maxLength={titleCharsMax}
            dir="auto"
            autocomplete="off"
            {...wired}
          />
        )}
      </Field>
      <Field id="note" label="What you changed, and why" hint={noteHint} error={errors.get('note')}>
        {(wired) => (
          <input
            type="text"
            name="note"
            value={fields.note}
            required
            maxLength={2000}
            dir="auto"
            autocomplete="off"
            {...wired}
          />
        )}
      </Field>
      <div class="editor-actions">
        <p class="editor-status" id="editor-status" role="status">
          {preview.blocks.length === 0 ? '' : changesText(preview)}
        </p>
        {publishes ? (
          <Button kind="primary" name="act" value="save" aria-keyshortcuts="Control+S Control+Enter">
            Publish
          </Button>
        ) : (
          <Button
            kind={mayPublish ? 'quiet' : 'primary'}
            name="act"
            value="save"
            aria-keyshortcuts="Control+S"
          >
            Save draft
          </Button>
        )}
        {mayPublish ? (
          <Button kind="primary" name="act" value="publish" aria-keyshortcuts="Control+Enter">
            Publish
          </Button>
        ) : null}
        {hasPreview ? (
          <Button name="act" value="preview" formnovalidate id="preview-button">
            Preview
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function changesText({ blocks, removed }: PreviewView): string {
  const changed = blocks.filter(({ change }) => change !== 'kept').length + removed.length;
  return changed === 0 ? '' : `${countText(changed, 'block')} changed`;
}

function TextPane({
  fields,
  refusal,
  children,
}: Readonly<{
  fields: Pick<EditFields, 'text' | 'block'>;
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

function PreviewPane({ children }: { readonly children: ComponentChildren }) {
  return (
    <section class="editor-pane editor-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <div id="preview">{children}</div>
    </section>
  );
}

function Keys() {
  return (
    <p class="section-note editor-keys">
      <kbd>Ctrl</kbd>+<kbd>S</kbd> saves, <kbd>Ctrl</kbd>+<kbd>Enter</kbd> publishes, <kbd>Esc</kbd> leaves;
      what you typed stays in this browser until it is saved.
    </p>
  );
}

/** Messages by the field that they are about. */
function errorsOf(refusal: Fault | undefined): ReadonlyMap<string, string> {
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

function Refused({ refusal }: { readonly refusal: Fault | undefined }) {
  if (refusal === undefined) return null;
  const listed = errorsOf(refusal).size > 0;
  return (
    <Toast kind="refused">
      <p>
        <strong>Nothing was saved.</strong> {refusal.message} {listed ? '' : refusal.fix}
      </p>
    </Toast>
  );
}

function MergeNotice({ merge }: { readonly merge: MergeView }) {
  const conflicts = merge.merged.filter(isConflict).length;
  const others = merge.merged.filter(
    (each) => !isConflict(each) && (each.by === 'theirs' || each.by === 'both'),
  );
  const texts = new Map(merge.base.map(({ div_id, text }) => [div_id, text]));
  return (
    <section class="merge-notice" role="alert" aria-labelledby="merge-title">
      <h2 id="merge-title">The article changed while you wrote</h2>
      <p>
        <strong>Nothing was saved yet.</strong>{' '}
        {conflicts === 0
          ? 'Your text and the newer one are merged below. Read it and save again.'
          : `${countText(conflicts, 'block')} changed in both texts. Decide below, then save again.`}
      </p>
      <ul>
        {merge.changes.map(({ rev, actor, action, of, ts, note }) => (
          <li key={rev}>
            Revision {rev}: {actorText(actor)} {plainText(wordsOf({ kind: 'article', verb: action, of }))},{' '}
            <Ago iso={ts} />
            {note === null ? null : (
              <>
                : “<bdi>{note}</bdi>”
              </>
            )}
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <Disclosure
          summary={`What was taken in of the newer text (${countText(others.length, 'block')})`}
          open
        >
          <BlockChanges
            before={merge.base}
            after={{
              removed: [],
              blocks: others.flatMap((each) =>
                isConflict(each)
                  ? []
                  : [
                      {
                        div_id: texts.has(each.div_id ?? '') ? each.div_id : undefined,
                        text: each.text,
                        change: texts.has(each.div_id ?? '') ? ('edited' as const) : ('made' as const),
                      },
                    ],
              ),
            }}
          />
        </Disclosure>
      )}
    </section>
  );
}

/** The text with its conflicts as fields; everything between them is carried along. */
function Conflicts({ merge }: { readonly merge: MergeView }) {
  const parts = merge.merged.map((each) => (isConflict(each) ? null : each.text));
  return (
    <div class="conflicts">
      <input type="hidden" name="parts" value={JSON.stringify(parts)} />
      {merge.merged.map((each, i) =>
        isConflict(each) ? (
          <Conflict key={each.div_id} conflict={each} at={i} last={merge.lastChange.get(each.div_id)} />
        ) : null,
      )}
      <p>
        <Button name="act" value="preview" formnovalidate>
          Open the merged text in the editor
        </Button>
      </p>
    </div>
  );
}

function Conflict({
  conflict,
  at,
  last,
}: Readonly<{
  conflict: BlockConflict;
  at: number;
  last: { readonly actor: string; readonly ts: string } | undefined;
}>) {
  const { div_id: id, base, theirs, yours, proposal } = conflict;
  return (
    <fieldset class="conflict">
      <legend>
        Block {id}
        {last === undefined ? null : (
          <>
            , changed by {actorText(last.actor)} <Ago iso={last.ts} />
          </>
        )}
      </legend>
      <div class="conflict-sides">
        <Side name="Theirs" text={theirs} base={base} />
        <Side name="Yours" text={yours} base={base} />
        <div class="conflict-side">
          <label for={`part-${at}`}>Merged</label>
          <textarea id={`part-${at}`} name={`part.${at}`} rows={6} dir="auto" value={proposal} />
          <p class="field-hint">Empty removes the block.</p>
        </div>
      </div>
    </fieldset>
  );
}

function Side({ name, text, base }: Readonly<{ name: string; text: string | null; base: string }>) {
  return (
    <div class="conflict-side" data-text={text ?? ''}>
      <p class="conflict-name">{name}</p>
      {text === null ? (
        <p class="section-note">The block was removed.</p>
      ) : (
        <DiffView changes={wordDiff(base, text)} />
      )}
    </div>
  );
}

/** What the form of a new article holds. */
export interface NewFields {
  readonly title: string;
  readonly text: string;
  readonly slug: string;
  readonly tags: string;
  readonly category: string;
  readonly series: string;
  readonly position: string;
  readonly status: string;
}

export interface NewView {
  readonly fields: NewFields;
  readonly preview: PreviewView;
  readonly refusal?: Fault | undefined;
  readonly isSent: boolean;
}

export function newArticlePage(context: ConsoleContext, view: NewView): string {
  const { fields, preview, refusal } = view;
  const paths = writePaths(context.site.root);
  const errors = errorsOf(refusal);
  return deskPage(
    context,
    { title: 'New article', here: 'articles', scripts: ['editor'] },
    <>
      <p class="crumbs">
        <a href={paths.articles}>Articles</a> › New
      </p>
      <h1>New article</h1>
      <Refused refusal={refusal} />
      <form
        method="post"
        action={paths.create}
        class="editor"
        id="editor"
        data-slug=""
        data-base="0"
        data-sent={view.isSent ? '1' : undefined}
        data-preview={paths.preview()}
        data-leave={paths.articles}
      >
        <HiddenFields context={context} />
        <div class="editor-head">
          <Field
            id="title"
            label="Title"
            hint="Leave empty to take it from the first heading of the text."
            error={errors.get('title')}
          >
            {(wired) => (
              <input
                type="text"
                name="title"
                value={fields.title}
                maxLength={titleCharsMax}
                dir="auto"
                autocomplete="off"
                {...wired}
              />
            )}
          </Field>
          <Choice
            legend="Status"
            name="status"
            value={fields.status}
            options={[
              { value: 'draft', label: 'Draft' },
              { value: 'published', label: 'Published' },
            ]}
          />
          <div class="editor-actions">
            <p class="editor-status" id="editor-status" role="status" />
            <Button kind="primary" name="act" value="save" aria-keyshortcuts="Control+S">
              Create
            </Button>
            <Button name="act" value="preview" formnovalidate id="preview-button">
              Preview
            </Button>
          </div>
        </div>
        <div class="editor-panes">
          <TextPane fields={fields} refusal={refusal}>
            <p class="editor-tools" id="editor-tools" />
          </TextPane>
          <PreviewPane>
            {fields.text === '' ? (
              <p class="section-note">
                What you type or paste appears here as readers will see it. A heading, a paragraph, a list or
                a table is one block; each block has its own history and permalink.
              </p>
            ) : (
              <Preview view={preview} paths={paths} />
            )}
          </PreviewPane>
        </div>
        <Disclosure summary="Tags, series, category, address" open={errors.has('tags') || errors.has('slug')}>
          <div class="fields">
            <MetaFields fields={fields} errors={errors} />
            <Field
              id="slug"
              label="Address"
              hint="Letters, digits and hyphens; made from the title when empty. It never changes."
              error={errors.get('slug')}
            >
              {(wired) => (
                <input
                  type="text"
                  name="slug"
                  value={fields.slug}
                  autocomplete="off"
                  maxLength={120}
                  {...wired}
                />
              )}
            </Field>
          </div>
        </Disclosure>
      </form>
      <Keys />
    </>,
  );
}

/** Tags, category and place in a series; also in the form of an article's metadata. */
export function MetaFields({
  fields,
  errors,
}: Readonly<{
  fields: Pick<NewFields, 'tags' | 'category' | 'series' | 'position'>;
  errors: ReadonlyMap<string, string>;
}>) {
  const text = (name: 'tags' | 'category' | 'series', label: string, hint: string, maxLength: number) => (
    <Field id={name} label={label} hint={hint} error={errors.get(name)}>
      {(wired) => (
        <input
          type="text"
          name={name}
          value={fields[name]}
          maxLength={maxLength}
          dir="auto"
          autocomplete="off"
          {...wired}
        />
      )}
    </Field>
  );
  return (
    <>
      {text('tags', 'Tags', 'Separated by commas.', 3000)}
      {text('category', 'Category', 'One, or none.', 100)}
      {text('series', 'Series', 'The name that its articles share; none when empty.', 100)}
      <Field id="position" label="Place in the series" hint="1 is the first." error={errors.get('position')}>
        {(wired) => (
          <input
            type="text"
            inputmode="numeric"
            pattern="[1-9][0-9]{0,5}"
            name="position"
            value={fields.position}
            autocomplete="off"
            {...wired}
          />
        )}
      </Field>
    </>
  );
}
