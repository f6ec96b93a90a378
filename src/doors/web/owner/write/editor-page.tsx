/**
 * `/owner/new` and `/owner/a/<slug>/edit` (contract §8): one form with the text in a plain textarea, which
 * `web/editor.ts` turns into an editor with a live preview. A refused form comes back filled; where the article has
 * moved meanwhile, the merge of both texts is shown before anything is saved.
 */
import { isConflict } from '../../../../domain/articles/merge-blocks.ts';
import { titleCharsMax } from '../../../../domain/articles/write-document.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import type { ArticleStatus } from '../../../../model/vocabulary.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { TextField } from '../../components/text-field.tsx';
import { countText } from '../../format-text.ts';
import { type ConsoleContext, deskPage } from '../console-page.tsx';
import { writePaths } from './desk.ts';
import { Crumbs, Hidden, TextPane, PreviewPane, Keys, errorsOf, Refused } from './editor-parts.tsx';
import { type MergeView, MergeNotice, Conflicts } from './merge-view.tsx';
import { Pictures, type PicturesView } from './pictures.tsx';
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

export interface EditView {
  readonly article: EditedArticle;
  readonly rights: 'text' | 'block';
  readonly fields: EditFields;
  readonly preview: PreviewView;
  /** Undefined where the session may fetch none. */
  readonly pictures: PicturesView | undefined;
  readonly refusal?: Fault | undefined;
  readonly merge?: MergeView | undefined;
  /** The form came back: what it holds is newer than a draft of this browser. */
  readonly isSent: boolean;
}

/** What most small edits are. */
const notes = [
  'Corrected a typo.',
  'Clearer wording.',
  'Corrected an error of fact.',
  'Brought up to date.',
  'Shortened.',
];

export function editPage(context: ConsoleContext, view: EditView): string {
  const { article, fields, merge, preview } = view;
  const paths = writePaths(context.site.root);
  const conflicts = merge?.merged.filter(isConflict) ?? [];
  const hasFailed = (view.pictures?.failures.length ?? 0) > 0;
  const isWhole = fields.block === undefined && conflicts.length === 0;
  return deskPage(
    context,
    { title: `Edit ${article.title}`, here: 'articles', scripts: ['editor'] },
    <>
      <h1 class="visually-hidden">Edit {article.title}</h1>
      <Crumbs context={context} article={article}>
        {fields.block === undefined ? 'Edit' : `Edit block ${fields.block}`} <Chip state={article.status} />
      </Crumbs>
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
        <Hidden context={context} version={fields.version} />
        <input type="hidden" name="workspace" value={context.workspace} />
        <input type="hidden" name="blocks" value={fields.blocks} />
        {fields.block === undefined ? null : <input type="hidden" name="block" value={fields.block} />}
        <EditorHead
          view={view}
          mayTitle={context.may('ARTICLE_META', article.slug)}
          publishes={article.status !== 'draft'}
          mayPublish={article.status === 'draft' && context.may('ARTICLE_META', article.slug)}
          hasPreview={conflicts.length === 0}
        />
        {hasFailed ? <Pictures view={view.pictures} /> : null}
        {conflicts.length > 0 && merge !== undefined ? (
          <Conflicts merge={merge} />
        ) : (
          <div class="editor-panes">
            <TextPane fields={fields} refusal={view.refusal}>
              <p class="editor-tools" id="editor-tools">
                {fields.block === undefined || view.rights === 'block' ? null : (
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
                <span class="editor-words" id="editor-words" />
              </p>
              {hasFailed ? null : <Pictures view={view.pictures} />}
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

/** Title, note and buttons, in one bar that stays in view. */
function EditorHead({
  view: { rights, fields, refusal, preview },
  mayTitle,
  publishes,
  mayPublish,
  hasPreview,
}: Readonly<{
  view: EditView;
  mayTitle: boolean;
  publishes: boolean;
  mayPublish: boolean;
  hasPreview: boolean;
}>) {
  const errors = errorsOf(refusal);
  return (
    <div class="editor-head">
      {mayTitle ? (
        <TextField
          id="title"
          name="title"
          label="Title"
          error={errors.get('title')}
          value={fields.title}
          required
          maxLength={titleCharsMax}
        />
      ) : (
        <p class="editor-title" dir="auto">
          {fields.title}
        </p>
      )}
      {rights === 'text' ? (
        <TextField
          id="note"
          name="note"
          label="What you changed, and why"
          hint="In a few words; it stands in the history."
          error={errors.get('note')}
          value={fields.note}
          suggestions={notes}
          required
          maxLength={2000}
        />
      ) : null}
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
