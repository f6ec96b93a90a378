/**
 * Saving an edit (contract §8, the workbench): the text becomes blocks, matched to those that it was made from, and one
 * ARTICLE_REWRITE by compare-and-set on the version and the hash of each block. Where the article has moved meanwhile,
 * both texts are merged: without a change of the text the save goes on, else the merge is shown first.
 */
import { changesSince, lastChangeOf, loadRevision, readsAlike } from '../../../../app/reads/editing.ts';
import { isConflict, mergeBlocks, type Merged } from '../../../../domain/articles/merge-blocks.ts';
import {
  editableText,
  matchBlocks,
  withPlainEnds,
  type MatchedBlocks,
} from '../../../../domain/articles/match-blocks.ts';
import { activeDivs, type ArticleState } from '../../../../domain/articles/state.ts';
import { violation } from '../../../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../../../kernel/json.ts';
import { trimEndOf } from '../../../../kernel/trim.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { callRow, layoutOf, type OpenArticle } from './desk.ts';
import type { EditFields } from './editor-page.tsx';
import type { MergeView } from './merge-view.tsx';

/** Ids and hashes of all blocks, as the form carries them. */
export function blockHashes(state: ArticleState): string {
  return activeDivs(state)
    .map(({ div_id, vx_hash }) => `${div_id}:${vx_hash}`)
    .join(' ');
}

/** The form of an article as it stands. */
export function fieldsOf(state: ArticleState, block?: string): EditFields {
  const { title, version } = state.row;
  return {
    title,
    text: block === undefined ? editableText(layoutOf(state)) : withPlainEnds(blockText(state, block)),
    note: '',
    version,
    blocks: blockHashes(state),
    block,
  };
}

function blockText(state: ArticleState, block: string): string {
  return state.divs.get(block)?.text ?? '';
}

/** What was sent. The text is that of the field, which may be one block only, or of the parts of a merge. */
export function sentFields(form: Form, current: ArticleState): EditFields {
  const version = Number(form.get('version') ?? '');
  return {
    title: form.get('title') ?? current.row.title,
    text: joinedParts(form) ?? form.get('text') ?? '',
    note: form.get('note') ?? '',
    version: Number.isSafeInteger(version) && version > 0 ? version : current.row.version,
    blocks: form.get('blocks') ?? '',
    block: form.get('block'),
  };
}

/** The text of a decided merge: its parts, with the decisions in place of the conflicts. */
function joinedParts(form: Form): string | undefined {
  const sent = form.get('parts');
  const parsed = sent === undefined ? undefined : parseJson(sent);
  if (parsed === undefined || isFault(parsed) || !Array.isArray(parsed.value)) return undefined;
  return parsed.value
    .map((part, i) => (typeof part === 'string' ? part : (form.get(`part.${i}`) ?? '')))
    .filter((part) => part.trim() !== '')
    .map((part) => `${trimEndOf(part, /\n/)}\n`)
    .join('\n');
}

/** The edit as blocks of the revision that it was made from. */
export interface Edit {
  readonly base: ArticleState;
  readonly matched: MatchedBlocks;
}

export async function editOf(article: OpenArticle, fields: EditFields): Promise<Edit | Fault> {
  const { state, access, server } = article;
  const base =
    fields.version === state.row.version ? state : await loadRevision(server.service, access, fields.version);
  if (isFault(base)) return base;
  const layout = layoutOf(base);
  const text =
    fields.block === undefined
      ? fields.text
      : editableText({
          ...layout,
          pieces: layout.pieces.map((piece) =>
            piece.div_id === fields.block ? { ...piece, text: fields.text } : piece,
          ),
        });
  const matched = matchBlocks(layout, text);
  return isFault(matched) ? matched : { base, matched };
}

export type Saved =
  | { readonly kind: 'saved'; readonly inv: string | undefined; readonly scrubbed: string | undefined }
  | { readonly kind: 'refused'; readonly refusal: Fault }
  | { readonly kind: 'merge'; readonly fields: EditFields; readonly merge: MergeView };

export async function save(
  article: OpenArticle,
  fields: EditFields,
  { publishes, once }: { readonly publishes: boolean; readonly once: string | undefined },
): Promise<Saved> {
  const { state } = article;
  const { slug, version } = state.row;
  const edit = await editOf(article, fields);
  if (isFault(edit)) return { kind: 'refused', refusal: edit };
  const { base, matched } = edit;
  if (base.row.version !== version && !readsAlike(base, state)) return merged(article, fields, edit);
  const hashes = new Map(fields.blocks.split(' ').map((each) => each.split(':', 2) as [string, string]));
  const isChanged = matched.removed.length > 0 || matched.blocks.some(({ change }) => change !== 'kept');
  let inv: string | undefined;
  let scrubbed: string | undefined;
  let reached = version;
  if (isChanged) {
    if (fields.note.trim() === '') return { kind: 'refused', refusal: noNote };
    if (matched.blocks.length === 0) return { kind: 'refused', refusal: noText };
    const called = await callRow(
      article,
      'ARTICLE_REWRITE',
      {
        slug,
        expected_version: version,
        blocks: matched.blocks.map(({ div_id, text }): JsonObject => {
          const expected = div_id === undefined ? undefined : hashes.get(div_id);
          return {
            ...(div_id === undefined ? {} : { div_id }),
            ...(expected === undefined ? {} : { expected_hash: expected }),
            text,
          };
        }),
        note: fields.note,
      },
      once,
    );
    if (isFault(called)) return { kind: 'refused', refusal: called };
    ({ inv, scrubbed } = called);
    if (called.status === 'proposed') return { kind: 'saved', inv, scrubbed };
    reached = Number(called.result['revision']);
  }
  const meta = {
    ...(fields.title.trim() === state.row.title ? {} : { title: fields.title }),
    ...(publishes && state.row.status !== 'published' ? { status: 'published' } : {}),
  };
  if (Object.keys(meta).length === 0) return { kind: 'saved', inv, scrubbed };
  const called = await callRow(article, 'ARTICLE_META', { slug, expected_version: reached, ...meta }, once);
  // The text is saved by then: the page that comes back is made from it.
  if (isFault(called)) return { kind: 'refused', refusal: called };
  return { kind: 'saved', inv: inv ?? called.inv, scrubbed: scrubbed ?? called.scrubbed };
}

const noNote = fault('content_rule', 'The note is missing.', 'Say in a few words what you changed and why.', {
  violations: [
    violation('blank', '/note', 'The note is missing.', 'Say in a few words what you changed and why.'),
  ],
});

const noText = fault(
  'content_rule',
  'The text is empty.',
  'Write at least one block, or leave the article as it is.',
  {
    violations: [
      violation(
        'blank',
        '/text',
        'The text is empty.',
        'Write at least one block, or archive the article instead.',
      ),
    ],
  },
);

/** The form of the merge: saving it again is compare-and-set against the article as it stands now. */
async function merged(article: OpenArticle, fields: EditFields, { base, matched }: Edit): Promise<Saved> {
  const { state, access, server } = article;
  const found = mergeBlocks(activeDivs(base), activeDivs(state), matched.blocks);
  const disputed = found.filter(isConflict).map(({ div_id }) => div_id);
  const lastChange = await Promise.all(
    disputed.map(async (id) => [id, await lastChangeOf(server.service, access, id)] as const),
  );
  return {
    kind: 'merge',
    fields: {
      ...fields,
      text: textOf(found),
      version: state.row.version,
      blocks: blockHashes(state),
      block: undefined,
    },
    merge: {
      from: base.row.version,
      base: activeDivs(base),
      merged: found,
      changes: await changesSince(server.service, access, base.row.version),
      lastChange: new Map(
        lastChange.flatMap(([id, last]) => (last === undefined ? [] : [[id, last] as const])),
      ),
    },
  };
}

function textOf(found: readonly Merged[]): string {
  return found
    .map((each) => withPlainEnds(isConflict(each) ? each.proposal : each.text))
    .map((text) => `${trimEndOf(text, /\n/)}\n`)
    .join('\n');
}
