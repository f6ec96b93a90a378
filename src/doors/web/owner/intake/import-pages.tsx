/** `/owner/import` (contract §8): files or a text are sent, what would be written is shown, and afterwards what was. */
import type { VNode } from 'preact';
import { divide } from '../../../../domain/articles/divide.ts';
import { isFault } from '../../../../kernel/fault.ts';
import type { ImportPlan } from '../../../../represent/intake/plan-notes.ts';
import { wordDiff } from '../../../../represent/word-diff.ts';
import type { Compared, Standing } from '../../../intake/run-import.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { countText } from '../../format-text.ts';
import { ReceiptLink } from '../../parts.tsx';
import { addressOf, type ConsoleContext, deskPage } from '../console-page.tsx';
import type { ImportReport } from '../../../intake/import-target.ts';

export const importAccept =
  '.md,.markdown,.txt,.html,.htm,.zip,.json,.jsonld,.bib,.ris,.png,.jpg,.jpeg,.gif,.webp,.avif,text/markdown,text/html,application/zip';

export interface Refusal {
  readonly message: string;
  readonly fix: string;
}

/** What is wrong with an upload, at its field. */
export interface UploadProblem extends Refusal {
  readonly field: 'files' | 'pasted';
}

export function importPage(
  context: ConsoleContext,
  {
    problem,
    fields = {},
  }: {
    readonly problem?: UploadProblem | undefined;
    readonly fields?: Readonly<Record<string, string>>;
  } = {},
): string {
  const errorAt = (field: UploadProblem['field']) =>
    problem?.field === field ? `${problem.message} ${problem.fix}` : undefined;
  return deskPage(
    context,
    { title: 'Import', here: 'import', path: '/import', scripts: ['intake'] },
    <>
      <h1>Import</h1>
      <p class="lead">
        Notes, Obsidian vaults, web pages, bibliographies and annotations become articles, sources and
        discussion. You see what would be written before anything is.
      </p>
      <form
        method="post"
        action={`${context.site.root}/owner/import`}
        enctype="multipart/form-data"
        class="intake-form"
      >
        <Hidden context={context} />
        <div class="intake-drop" data-drop="">
          <Field
            id="files"
            label="Files"
            hint="Markdown or HTML with the images it shows, a .zip of a vault, a bundle, BibTeX, RIS, CSL-JSON or Web Annotations; at most 24 MiB. Drop them here."
            error={errorAt('files')}
          >
            {(wired) => <input {...wired} type="file" name="files" multiple accept={importAccept} />}
          </Field>
        </div>
        <Field
          id="pasted"
          label="Or a text"
          hint={
            <>
              Markdown or HTML.{' '}
              <span data-pasted="">Paste it with its title in the first heading, or give it one below.</span>
            </>
          }
          error={errorAt('pasted')}
        >
          {(wired) => (
            <textarea {...wired} name="pasted" rows={8} spellcheck={false} dir="auto" data-rich="pasted_html">
              {fields['pasted'] ?? ''}
            </textarea>
          )}
        </Field>
        <Field id="title" label="Title of the text" hint="Leave empty to take it from the text.">
          {(wired) => (
            <input
              {...wired}
              type="text"
              name="title"
              value={fields['title'] ?? ''}
              maxLength={300}
              autocomplete="off"
              dir="auto"
            />
          )}
        </Field>
        <Choice
          legend="Articles whose files do not say otherwise become"
          name="status"
          value={fields['status'] ?? 'draft'}
          options={[
            { value: 'draft', label: 'Drafts' },
            { value: 'published', label: 'Published' },
          ]}
          hint="Only you and those you let in see a draft."
        />
        <p class="intake-actions">
          <Button kind="primary">Show what would be written</Button>
        </p>
      </form>
      <Disclosure summary="How each kind of file is imported">
        <dl class="intake-kinds">
          <dt>Markdown, one file or many</dt>
          <dd>
            An article each: title from front matter or first heading, tags and status from front matter.
          </dd>
          <dt>HTML: saved pages, exports, pasted text</dt>
          <dd>
            Becomes Markdown: headings, lists, tables, code, links, images, footnotes and TeX. Scripts, forms
            and embedded pages are left out.
          </dd>
          <dt>An Obsidian vault as .zip</dt>
          <dd>
            Links between notes, headings and blocks become links here, embedded images are served from here.
            Importing again updates what came from the same note.
          </dd>
          <dt>BibTeX, RIS, CSL-JSON</dt>
          <dd>Sources of one article. You add the exact words that each is cited for.</dd>
          <dt>Web Annotations, also from Hypothesis</dt>
          <dd>Entries of the discussion, at the block that holds the quoted words.</dd>
          <dt>A bundle of another Colophon</dt>
          <dd>The article with its claims, sources and history.</dd>
          <dt>A folder that keeps changing</dt>
          <dd>
            <code>colophon import --follow DIR</code> on the command line.
          </dd>
        </dl>
      </Disclosure>
    </>,
  );
}

export function Hidden({ context }: { readonly context: ConsoleContext }) {
  return (
    <>
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="workspace" value={context.workspace} />
    </>
  );
}

const standings: Readonly<Record<Standing, string>> = {
  new: 'new article',
  update: 'changed in the file',
  unchanged: 'unchanged',
  kept: 'changed here only',
  conflict: 'changed on both sides',
  taken: 'address taken',
};

export function notesPage(
  context: ConsoleContext,
  id: string,
  plan: ImportPlan,
  compared: readonly Compared[],
): string {
  const foreign = compared.flatMap(({ article }) => article.foreign);
  const writable = compared.filter(
    ({ standing, refused }) => standing !== 'unchanged' && refused === undefined,
  );
  return deskPage(
    context,
    { title: 'What would be written', here: 'import' },
    <>
      <h1>What would be written</h1>
      <p class="lead">{summaryOf(compared)} Nothing is written yet.</p>
      <form method="post" action={`${context.site.root}/owner/import/${id}`} class="intake-form">
        <Hidden context={context} />
        <ol class="intake-list">
          {compared.map((each, i) => (
            <li key={each.article.path}>
              <PlannedArticleView context={context} each={each} n={i} />
            </li>
          ))}
        </ol>
        {foreign.length === 0 ? null : (
          <p class="intake-check">
            <label>
              <input type="checkbox" name="fetch_images" value="1" checked />{' '}
              {countText(new Set(foreign).size, 'image')} on other hosts: fetch and serve from here
            </label>
            <span class="field-hint">
              Otherwise readers see links in their place: pages here load nothing from other hosts.
            </span>
          </p>
        )}
        <p class="intake-actions">
          {writable.length === 0 ? null : <Button kind="primary">Write what is chosen</Button>}
          <Button href={addressOf(context, '/import')}>Choose other files</Button>
        </p>
      </form>
      <SkippedFiles skipped={plan.skipped} />
    </>,
  );
}

function summaryOf(compared: readonly Compared[]): string {
  const parts = (Object.keys(standings) as Standing[]).flatMap((standing) => {
    const count = compared.filter((each) => each.standing === standing).length;
    return count === 0
      ? []
      : [standing === 'new' ? countText(count, 'new article') : `${count} ${standings[standing]}`];
  });
  return parts.length === 0 ? 'No article.' : `${parts.join(', ')}.`;
}

/** What may be done with an article; the first is chosen. */
function choicesOf({ standing, refused }: Compared): readonly (readonly [value: string, label: string])[] {
  if (refused !== undefined || standing === 'unchanged') return [];
  if (standing === 'new')
    return [
      ['write', 'Write'],
      ['skip', 'Leave out'],
    ];
  if (standing === 'update')
    return [
      ['write', 'Update'],
      ['skip', 'Leave out'],
    ];
  if (standing === 'taken')
    return [
      ['skip', 'Leave out'],
      ['rename', 'Write under another address'],
      ['replace', 'Replace the text'],
    ];
  return [
    ['skip', 'Leave as it is here'],
    ['replace', 'Take the text of the file'],
  ];
}

function PlannedArticleView({
  context,
  each,
  n,
}: {
  readonly context: ConsoleContext;
  readonly each: Compared;
  readonly n: number;
}) {
  const { article, current, standing, refused } = each;
  const division = divide(article.markdown);
  const blocks = isFault(division) ? 0 : division.blocks.length;
  const facts = [
    countText(blocks, 'block'),
    ...(article.claims.length === 0 ? [] : [countText(article.claims.length, 'claim')]),
    ...(article.sources.length === 0 ? [] : [countText(article.sources.length, 'source')]),
    ...(article.images.length === 0 ? [] : [countText(article.images.length, 'image')]),
    ...(article.foreign.length === 0 ? [] : [`${countText(article.foreign.length, 'image')} on other hosts`]),
    ...(article.tags.length === 0 ? [] : [`tagged ${article.tags.join(', ')}`]),
  ];
  const choices = choicesOf(each);
  const problems = [
    ...article.problems,
    ...(refused === undefined ? [] : [`${refused.message} ${refused.fix}`]),
  ];
  const here = current?.layout.pieces.map(({ text, sep }) => text + sep).join('');
  return (
    <article class="card intake-item">
      <h2 class="card-title" dir="auto">
        {article.title}
      </h2>
      <p class="intake-facts">
        <strong>{standings[standing]}</strong> · /a/{article.slug} · {current?.status ?? article.status} ·{' '}
        {facts.join(' · ')}
        <br />
        <span class="intake-path" dir="auto">
          from {article.path}
        </span>
      </p>
      {problems.length === 0 ? null : (
        <ul class="intake-problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {here === undefined || standing === 'unchanged' ? (
        <Disclosure summary="The text">
          <pre class="intake-text" dir="auto">
            {article.markdown}
          </pre>
        </Disclosure>
      ) : (
        <Disclosure summary="What would change" open={standing === 'conflict'}>
          <DiffView
            changes={wordDiff(here, article.markdown)}
            layout="sides"
            before="Here"
            after="In the file"
          />
        </Disclosure>
      )}
      {choices.length === 0 ? null : (
        <Choice
          legend={<span class="visually-hidden">What to do with “{article.title}”</span>}
          name={`do_${n}`}
          value={choices[0]?.[0]}
          options={choices.map(([value, label]) => ({ value, label }))}
        />
      )}
      {current === undefined ? null : (
        <p class="intake-facts">
          <a href={context.site.to.article(article.slug)}>The article as it is here</a>
        </p>
      )}
    </article>
  );
}

export function SkippedFiles({ skipped }: { readonly skipped: ImportReport['skipped'] }): VNode | null {
  if (skipped.length === 0) return null;
  return (
    <section aria-labelledby="skipped">
      <h2 id="skipped">Not taken over</h2>
      <ul class="intake-skipped">
        {skipped.map(({ path, why }) => (
          <li key={path}>
            <span dir="auto">{path}</span>: {why}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function reportPage(context: ConsoleContext, { lines, skipped }: ImportReport): string {
  const written = lines.filter(({ isWritten }) => isWritten).length;
  return deskPage(
    context,
    { title: 'What was written', here: 'import' },
    <>
      <h1>What was written</h1>
      <Toast kind={written > 0 || lines.length === 0 ? 'done' : 'note'}>
        {written} of {lines.length} written.
      </Toast>
      <ol class="intake-list">
        {lines.map((line, i) => (
          <li key={i}>
            <p class="intake-line" dir="auto">
              {line.href === undefined ? (
                <strong>{line.what}</strong>
              ) : (
                <a href={context.site.root + line.href}>{line.what}</a>
              )}
              : {line.done}
            </p>
            {line.problems.length === 0 ? null : (
              <ul class="intake-problems">
                {line.problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            )}
            {line.receipts.length === 0 ? null : (
              <Disclosure summary={countText(line.receipts.length, 'receipt')}>
                <ul class="intake-receipts">
                  {line.receipts.map((inv) => (
                    <li key={inv}>
                      <ReceiptLink site={context.site} inv={inv} />
                    </li>
                  ))}
                </ul>
              </Disclosure>
            )}
          </li>
        ))}
      </ol>
      <SkippedFiles skipped={skipped} />
      <p class="intake-actions">
        <Button href={addressOf(context, '/import')}>Import more</Button>
      </p>
    </>,
  );
}
