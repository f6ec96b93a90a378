/**
 * Bibliographies, annotations and bundles among uploads (contract §8): what each is, and what is written of it. Sources
 * go in by one SOURCE_POST; an annotation becomes the entry of the discussion that was chosen for it.
 */
import { findArticle } from '../../../../app/reads/article-access.ts';
import { readThreadHead } from '../../../../app/reads/discourse.ts';
import { isFault } from '../../../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../../../kernel/json.ts';
import { readCitations, type Citations } from '../../../../represent/intake/citations.ts';
import {
  matchAnnotations,
  readAnnotations,
  type MatchedAnnotation,
  type ReadAnnotation,
} from '../../../../represent/intake/web-annotations.ts';
import type { CurrentArticle } from '../../../intake/run-import.ts';
import type { Form } from '../../../http/browser-forms.ts';
import type { ConsoleContext } from '../console-page.tsx';
import { callRow, type Caller } from './desk-target.ts';
import type { HeldImport, ImportReport, ReportLine } from './held-imports.ts';

export type Upload =
  | { readonly kind: 'notes' }
  | { readonly kind: 'bundle'; readonly bundle: JsonObject }
  | { readonly kind: 'sources'; readonly citations: Citations }
  | { readonly kind: 'annotations'; readonly annotations: readonly ReadAnnotation[] };

/** What an upload is: by the one file that it holds. */
export async function uploadOf({ files }: HeldImport): Promise<Upload> {
  const [file] = files;
  if (files.length !== 1 || file === undefined) return { kind: 'notes' };
  const text = utf8(file.bytes);
  if (text === undefined) return { kind: 'notes' };
  const citations = await readCitations(file.path, text);
  if (citations !== undefined) return { kind: 'sources', citations };
  if (!/\.(?:json|jsonld)$/i.test(file.path)) return { kind: 'notes' };
  const parsed = parseJson(text);
  if (isFault(parsed)) return { kind: 'notes' };
  const { value } = parsed;
  if (typeof value === 'object' && value !== null && 'bundle_version' in value) {
    const { ok: _ok, _self, ...bundle } = value;
    return { kind: 'bundle', bundle };
  }
  const annotations = readAnnotations(value);
  return annotations === undefined ? { kind: 'notes' } : { kind: 'annotations', annotations };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function matchedTo(annotations: readonly ReadAnnotation[], article: CurrentArticle) {
  return matchAnnotations(annotations, article.layout.pieces);
}

export async function writeBundle(
  context: ConsoleContext,
  caller: Caller,
  bundle: JsonObject,
  { fields }: HeldImport,
  form: Form,
): Promise<ImportReport> {
  const at = form.get('slug')?.trim() ?? '';
  const called = await callRow(context, caller, 'ARTICLE_IMPORT', {
    bundle,
    ...(at === '' ? {} : { slug: at }),
    status: fields['status'] ?? 'draft',
  });
  const what = String(bundle['title'] ?? bundle['slug'] ?? 'The bundle');
  const slug = called.ok ? String(called.result['slug']) : undefined;
  const line: ReportLine = {
    what,
    href: fields['status'] === 'published' && slug !== undefined ? `/a/${slug}` : undefined,
    done: called.ok ? 'written with its claims, sources and history' : 'not written',
    isWritten: called.ok,
    receipts: called.inv === undefined ? [] : [called.inv],
    problems: called.ok ? [] : [`${called.message} ${called.fix}`],
  };
  return { lines: [line], skipped: [] };
}

/** The chosen entries, with what was typed for them, in one batch. */
export async function writeSources(
  context: ConsoleContext,
  caller: Caller,
  { entries, skipped }: Citations,
  article: CurrentArticle,
  form: Form,
): Promise<ImportReport> {
  const chosen = entries.flatMap((entry, i) => {
    if (form.get(`take_${i}`) !== '1') return [];
    const [quote = '', url = '', title = ''] = [
      form.get(`quote_${i}`),
      form.get(`url_${i}`),
      form.get(`title_${i}`),
    ];
    return [
      {
        entry,
        source: { type: entry.type, url: url.trim(), title: title.trim(), quote, summary: entry.summary },
      },
    ];
  });
  const lacks = ({ source }: (typeof chosen)[number]): readonly string[] => [
    ...(source.quote.trim() === '' ? ['It has no exact quote.'] : []),
    ...(/^https?:\/\//i.test(source.url) ? [] : ['It has no http(s) address.']),
    ...(source.title === '' ? ['It has no title.'] : []),
  ];
  const whole = chosen.filter((each) => lacks(each).length === 0).slice(0, sourcesMax);
  const called =
    whole.length === 0
      ? undefined
      : await callRow(context, caller, 'SOURCE_POST', {
          slug: article.slug,
          sources: whole.map(({ source }) => source),
        });
  const lines = entries.map((entry, i): ReportLine => {
    const one = chosen.find((each) => each.entry === entry);
    const n = one === undefined ? -1 : whole.indexOf(one);
    const isWritten = n >= 0 && called?.ok === true;
    const ids = isWritten ? (called.result['source_ids'] as readonly string[]) : [];
    const refused = n >= 0 && called?.ok === false ? [`${called.message} ${called.fix}`] : [];
    return {
      what: entry.title === '' ? entry.key || `Entry ${i + 1}` : entry.title,
      href: isWritten ? `/a/${article.slug}#${ids[n] ?? 'sources'}` : undefined,
      done: isWritten ? `written as ${ids[n] ?? 'a source'}` : one === undefined ? 'left out' : 'not written',
      isWritten,
      receipts: n === 0 && called?.inv !== undefined ? [called.inv] : [],
      problems: [...(one === undefined ? [] : lacks(one)), ...refused],
    };
  });
  return { lines, skipped };
}

/** Sources that one call takes. */
const sourcesMax = 100;

/** What an annotation may become. */
export const annotationChoices = {
  skip: 'Leave out',
  objection: 'Objection',
  challenge: 'Challenge',
  support: 'Support',
  question: 'Question',
  attestation: 'Nothing to add',
} as const;

export async function writeAnnotations(
  context: ConsoleContext,
  caller: Caller,
  matched: readonly MatchedAnnotation[],
  article: CurrentArticle,
  form: Form,
): Promise<ImportReport> {
  const lines: ReportLine[] = [];
  for (const [i, annotation] of matched.entries()) {
    const choice = form.get(`do_${i}`) ?? 'skip';
    const what = `${annotation.creator === '' ? 'Somebody' : annotation.creator}: ${(annotation.text || annotation.exact).slice(0, 120)}`;
    const call = choice === 'skip' ? undefined : await callFor(context, choice, annotation, article);
    if (call === undefined) {
      const why = annotation.div_id === undefined ? ['No block of the article holds the quoted words.'] : [];
      lines.push({ what, done: 'left out', isWritten: false, receipts: [], problems: why });
      continue;
    }
    const called = await callRow(context, caller, call.key, call.args);
    lines.push({
      what,
      href: called.ok ? `/a/${article.slug}/discuss` : undefined,
      done: called.ok
        ? `written as ${annotationChoices[choice as keyof typeof annotationChoices].toLowerCase()}`
        : 'not written',
      isWritten: called.ok,
      receipts: called.inv === undefined ? [] : [called.inv],
      problems: called.ok ? [] : [`${called.message} ${called.fix}`],
    });
  }
  return { lines, skipped: [] };
}

/** The words are quoted, since a block may be long. */
async function callFor(
  context: ConsoleContext,
  choice: string,
  { creator, text, exact, div_id: div }: MatchedAnnotation,
  article: CurrentArticle,
): Promise<{ readonly key: string; readonly args: JsonObject } | undefined> {
  const { slug } = article;
  const actor = creator === '' ? 'annotator' : creator;
  const quoted = exact === '' ? '' : `On “${exact.replace(/\s+/g, ' ').trim().slice(0, 400)}”: `;
  const body = `${quoted}${text}`.trim();
  if (choice === 'attestation')
    return {
      key: 'VOXEL_ATTEST',
      args: { slug, outcome: 'nothing_to_add', content_hash: article.content_hash, actor },
    };
  if (text === '') return undefined;
  if (choice === 'question')
    return { key: 'MIRROR_APPEND', args: { slug, claim_id: '', kind: 'question', actor, body } };
  if (div === undefined) return undefined;
  if (choice === 'objection')
    return { key: 'OBJECTION_LOG', args: { slug: `${slug}/${div}`, objection: body, actor } };
  if (choice !== 'challenge' && choice !== 'support') return undefined;
  const { service } = context.site;
  const access = await findArticle(service, slug, context.session.credential);
  if (isFault(access)) return undefined;
  return {
    key: 'VOXEL_CHALLENGE',
    args: {
      slug,
      expected_thread_head: await readThreadHead(service, access.aid),
      target_div: div,
      expected_hash: article.hashes.get(div) ?? '',
      stance: choice,
      body,
      actor,
    },
  };
}
