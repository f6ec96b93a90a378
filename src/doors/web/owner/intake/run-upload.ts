/**
 * An upload from its preview to its report (contract §8): a vault, notes, a bundle, a bibliography or annotations. What
 * a form lacks is shown at its field, with everything that was typed.
 */
import { deskArticles } from '../../../../app/reads/desk-articles.ts';
import { isFault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { ImportPlan } from '../../../../represent/intake/plan-notes.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { isAnnotationChoice, planAnnotations, writeAnnotations } from '../../../intake/import-annotations.ts';
import {
  isWhole,
  planSources,
  rehearseSources,
  writeSources,
  type TypedSource,
} from '../../../intake/import-sources.ts';
import {
  refusalText,
  type CurrentArticle,
  type ImportReport,
  type ReportLine,
} from '../../../intake/import-target.ts';
import { planUpload } from '../../../intake/plan-import.ts';
import { recognize, type Upload } from '../../../intake/recognize.ts';
import { compareImport, runImport, writes, type Compared } from '../../../intake/run-import.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { pageReply, type Reply } from '../../../http/replies.ts';
import type { ConsoleContext } from '../console-page.tsx';
import { callRow, deskTarget, type Caller } from './desk-target.ts';
import { annotationsPage, bundlePage, placePage, sourcesPage } from './evidence-pages.tsx';
import type { HeldImport } from './held-imports.ts';
import { importPage, notesPage } from './import-pages.tsx';

/** A page in place of a report: the form is not whole yet. */
interface Unfinished {
  readonly reply: Reply;
}

function planOf(context: ConsoleContext, { files, fields }: HeldImport): Promise<ImportPlan | Fault> {
  return planUpload(files, {
    base: context.site.service.base,
    status: fields['status'] === 'published' ? 'published' : 'draft',
  });
}

export async function previewUpload(
  context: ConsoleContext,
  caller: Caller,
  id: string,
  held: HeldImport,
): Promise<Reply> {
  const upload = await recognize(held.files);
  if (upload.kind === 'bundle')
    return pageReply(
      bundlePage(context, id, { bundle: upload.bundle, status: held.fields['status'] ?? 'draft' }),
    );
  const target = deskTarget(context, caller);
  if (upload.kind === 'notes') {
    const plan = await planOf(context, held);
    if (isFault(plan))
      return pageReply(importPage(context, { problem: { field: 'files', ...plan }, fields: held.fields }));
    return pageReply(notesPage(context, id, plan, await compareImport(target, plan)));
  }
  const article = await target.article(held.fields['article'] ?? '');
  if (article === undefined) return pageReply(await placeForm(context, id, upload, ''));
  if (upload.kind === 'sources') {
    const { entries, skipped } = upload.citations;
    return pageReply(sourcesPage(context, id, { planned: planSources(entries, article), skipped }, article));
  }
  const planned = planAnnotations(upload.annotations, article, await saidOf(target, article));
  return pageReply(annotationsPage(context, id, { planned }, article));
}

async function saidOf(target: ReturnType<typeof deskTarget>, { slug }: CurrentArticle) {
  return (await target.discussion(slug)) ?? { thread_head: '', said: [] };
}

async function placeForm(
  context: ConsoleContext,
  id: string,
  upload: Upload,
  wanted: string,
): Promise<string> {
  const reading = { ...context.site.service, tenant: context.tenant, viewer: context.session.credential };
  const { articles } = await deskArticles(reading, {});
  const what = upload.kind === 'sources' ? 'a bibliography' : 'annotations';
  return placePage(context, id, what, { wanted, articles });
}

/** The slug of the article that was typed, also as its address; a page with the error where there is none. */
export async function chooseArticle(
  context: ConsoleContext,
  id: string,
  held: HeldImport,
  typed: string,
): Promise<string | Reply> {
  const slug = (/\/a\/([a-z0-9-]+)/.exec(typed)?.[1] ?? typed.trim()).slice(0, 120);
  const article = slug === '' ? undefined : await deskTarget(context, noCaller).article(slug);
  if (article !== undefined) return article.slug;
  const wanted = typed.trim() === '' ? 'without an address' : typed.trim().slice(0, 120);
  return pageReply(await placeForm(context, id, await recognize(held.files), wanted), 422);
}

/** Only reads are made with it. */
const noCaller: Caller = { client: '', meter: undefined };

export async function writeUpload(
  context: ConsoleContext,
  caller: Caller,
  id: string,
  held: HeldImport,
  form: Form,
): Promise<ImportReport | Unfinished> {
  const upload = await recognize(held.files);
  if (upload.kind === 'notes') return writeNotes(context, caller, held, form);
  if (upload.kind === 'bundle') return writeBundle(context, caller, id, upload.bundle, held, form);
  const target = deskTarget(context, caller);
  const article = await target.article(held.fields['article'] ?? '');
  if (article === undefined) return { reply: pageReply(await placeForm(context, id, upload, ''), 422) };
  if (upload.kind === 'annotations') {
    const planned = planAnnotations(upload.annotations, article, await saidOf(target, article));
    const choices = planned.map((_, i) => {
      const choice = form.get(`do_${i}`) ?? '';
      return isAnnotationChoice(choice) ? choice : undefined;
    });
    if (choices.every((choice) => choice === undefined)) {
      const problem = 'Nothing was chosen. Choose what at least one annotation becomes.';
      return { reply: pageReply(annotationsPage(context, id, { planned, problem }, article), 422) };
    }
    return { lines: await writeAnnotations(target, article, planned, choices), skipped: [] };
  }
  const { entries, skipped } = upload.citations;
  const typed = entries.map((entry, i): TypedSource => {
    const [title = entry.title, url = entry.url, quote = entry.quote] = ['title', 'url', 'quote'].map(
      (name) => form.get(`${name}_${i}`),
    );
    return { title, url, quote };
  });
  const planned = planSources(entries, article, typed);
  const quoted = planned.filter(({ typed: { quote }, known }) => quote.trim() !== '' && known === undefined);
  const refused = await rehearseSources(target, article, planned);
  const bad = quoted.filter((each) => !isWhole(each) || refused.has(each)).length;
  const problem =
    quoted.length === 0
      ? 'No entry has a quote. Add the exact words of at least one.'
      : bad === 0
        ? undefined
        : `Nothing was written: ${bad} of ${quoted.length} entries with a quote cannot be written yet. Mend them, or remove their quotes to leave them out.`;
  if (problem !== undefined)
    return {
      reply: pageReply(sourcesPage(context, id, { planned, skipped, problem, refused }, article), 422),
    };
  return { lines: await writeSources(target, article, planned), skipped };
}

async function writeBundle(
  context: ConsoleContext,
  caller: Caller,
  id: string,
  bundle: JsonObject,
  { fields }: HeldImport,
  form: Form,
): Promise<ImportReport | Unfinished> {
  const at = form.get('slug')?.trim() ?? '';
  const status = fields['status'] ?? 'draft';
  const called = await callRow(context, caller, 'ARTICLE_IMPORT', {
    bundle,
    ...(at === '' ? {} : { slug: at }),
    status,
  });
  if (!called.ok)
    return { reply: pageReply(bundlePage(context, id, { bundle, status, slug: at, refused: called }), 422) };
  const line: ReportLine = {
    what: String(bundle['title'] ?? bundle['slug'] ?? 'The bundle'),
    href: status === 'published' ? `/a/${String(called.result['slug'])}` : undefined,
    done: 'written with its claims, sources and history',
    isWritten: true,
    receipts: [called.inv],
    problems: [],
  };
  return { lines: [line], skipped: [] };
}

async function writeNotes(
  context: ConsoleContext,
  caller: Caller,
  held: HeldImport,
  form: Form,
): Promise<ImportReport> {
  const plan = await planOf(context, held);
  if (isFault(plan)) return { lines: [], skipped: [{ path: 'The archive', why: refusalText(plan) }] };
  const target = deskTarget(context, caller);
  const compared = await compareImport(target, plan);
  const chosen: Compared[] = [];
  const left: Compared[] = [];
  for (const [i, each] of compared.entries()) {
    const choice = form.get(`do_${i}`);
    const taken = choice === undefined ? undefined : await chosenOf(target, each, choice);
    if (taken === undefined) left.push(each);
    else chosen.push(taken);
  }
  const written = await runImport(target, chosen, plan.images, {
    fetchImages: form.get('fetch_images') === '1',
    marks: true,
  });
  return {
    lines: [
      ...written.map(({ title, slug, done, receipts, problems, mark }) => ({
        what: title,
        href: done === undefined ? undefined : done.includes('draft') ? `/owner/a/${slug}` : `/a/${slug}`,
        done: done ?? 'not written',
        isWritten: done !== undefined && mark !== undefined,
        receipts,
        problems,
      })),
      ...left.map(({ article, standing, refused }) => ({
        what: article.title,
        done: standing === 'unchanged' ? 'unchanged' : 'left out',
        isWritten: false,
        receipts: [],
        problems: refused === undefined ? [] : [refusalText(refused)],
      })),
    ],
    skipped: plan.skipped,
  };
}

const addressesTried = 50;

/** The import as it was chosen; undefined where the article is left out. */
async function chosenOf(
  target: ReturnType<typeof deskTarget>,
  each: Compared,
  choice: string,
): Promise<Compared | undefined> {
  if (choice === 'write') return writes(each.standing) && each.refused === undefined ? each : undefined;
  if (
    choice === 'replace' &&
    (each.standing === 'conflict' || each.standing === 'kept' || each.standing === 'taken')
  )
    return { ...each, standing: 'update' };
  if (choice !== 'rename' || each.standing !== 'taken') return undefined;
  for (let n = 2; n <= addressesTried; n++) {
    const slug = `${each.article.slug.slice(0, 70)}-${n}`;
    if ((await target.article(slug)) === undefined)
      return {
        ...each,
        article: { ...each.article, slug },
        current: undefined,
        standing: 'new',
        blocks: undefined,
      };
  }
  return undefined;
}
