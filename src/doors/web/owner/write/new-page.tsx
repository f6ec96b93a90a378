/** `/owner/new` (contract §8): the editor of a text that is no article yet. */
import { titleCharsMax } from '../../../../domain/articles/write-document.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { TextField } from '../../components/text-field.tsx';
import { type ConsoleContext, deskPage } from '../console-page.tsx';
import { writePaths } from './desk.ts';
import { Crumbs, Hidden, TextPane, PreviewPane, Keys, errorsOf, Refused } from './editor-parts.tsx';
import { type Filed, type Known, MetaFields } from './meta-form.tsx';
import { Pictures, type PicturesView } from './pictures.tsx';
import { Preview, type PreviewView } from './preview.tsx';

/** What the form of a new article holds. */
export interface NewFields extends Filed {
  readonly text: string;
  readonly slug: string;
  readonly status: string;
}

export interface NewView {
  readonly fields: NewFields;
  readonly preview: PreviewView;
  readonly known: Known;
  /** Undefined where the session may fetch none. */
  readonly pictures: PicturesView | undefined;
  readonly refusal?: Fault | undefined;
  readonly isSent: boolean;
}

export function newArticlePage(context: ConsoleContext, view: NewView): string {
  const { fields, preview, refusal } = view;
  const paths = writePaths(context.site.root);
  const errors = errorsOf(refusal);
  const hasFailed = (view.pictures?.failures.length ?? 0) > 0;
  return deskPage(
    context,
    { title: 'New article', here: 'articles', scripts: ['editor'] },
    <>
      <Crumbs context={context}>New</Crumbs>
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
        <Hidden context={context} />
        <input type="hidden" name="workspace" value={context.workspace} />
        <div class="editor-head">
          <TextField
            id="title"
            name="title"
            label="Title"
            hint="Leave empty where the text begins with a heading."
            autofocus={!view.isSent}
            error={errors.get('title')}
            value={fields.title}
            maxLength={titleCharsMax}
          />
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
        {hasFailed ? <Pictures view={view.pictures} /> : null}
        <div class="editor-panes">
          <TextPane fields={fields} refusal={refusal}>
            <p class="editor-tools" id="editor-tools">
              <span class="editor-words" id="editor-words" />
            </p>
            {hasFailed ? null : <Pictures view={view.pictures} />}
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
            <MetaFields fields={fields} known={view.known} errors={errors} />
            <TextField
              id="slug"
              name="slug"
              label="Address"
              hint="Letters, digits and hyphens; made from the title when empty. It never changes."
              error={errors.get('slug')}
              value={fields.slug}
              maxLength={120}
            />
            <FreeSlug refusal={refusal} />
          </div>
        </Disclosure>
      </form>
      <Keys />
    </>,
  );
}

/** One press for an address that is free. */
function FreeSlug({ refusal }: { readonly refusal: Fault | undefined }) {
  const free = refusal?.details?.['free_slug'];
  if (typeof free !== 'string') return null;
  return (
    <p class="free-slug">
      <Button name="free_slug" value={free}>
        Create it as {free}
      </Button>
    </p>
  );
}
