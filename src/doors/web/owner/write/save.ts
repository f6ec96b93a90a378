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
import { trimEndOf } from '../../../../kernel/text.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { callRow, layoutOf, type OpenArticle, rehearse } from './desk.ts';
import type { EditFields } from './editor-page.tsx';
import type { MergeView } from './merge-view.tsx';
import {
  fetchPictures,
  findPictures,
  type PictureFailure,
  type PictureFields,
  unfetched,
  wantedPictures,
  withChoices,
} from './save-images.ts';

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
  | { readonly kind: 'saved'; readonly inv: string | undefined }
  | {
      readonly kind: 'refused';
      readonly refusal: Fault;
      /** The text with what was fetched for it already. */
      readonly fields: EditFields;
      readonly failures?: readonly PictureFailure[];
    }
  | { readonly kind: 'merge'; readonly fields: EditFields; readonly merge: MergeView };

interface Sent {
  readonly publishes: boolean;
  readonly once: string | undefined;
  readonly pictures: PictureFields;
}

export async function save(article: OpenArticle, given: EditFields, sent: Sent): Promise<Saved> {
  const { state } = article;
  const { slug, version } = state.row;
  const { publishes, once, pictures } = sent;
  let fields = { ...given, text: withChoices(given.text, pictures) };
  const refused = (refusal: Fault) => ({ kind: 'refused', refusal, fields }) as const;
  const edit = await editOf(article, fields);
  if (isFault(edit)) return refused(edit);
  const { base } = edit;
  let { matched } = edit;
  if (base.row.version !== version && !readsAlike(base, state)) return merged(article, fields, edit);
  const wanted = wantedPictures(findPictures(article, matched.blocks), pictures);
  let inv: string | undefined;
  let reached = version;
  if (isChanged(matched) || wanted.length > 0) {
    if (fields.note.trim() === '' && rightsOf(article) === 'text') return refused(noNote);
    if (matched.blocks.length === 0) return refused(noText);
    if (wanted.length > 0 && (await isSound(article, matched, fields))) {
      const fetched = await fetchPictures(article, fields.text, wanted, once);
      fields = { ...fields, text: fetched.text };
      if (fetched.failures.length > 0)
        return { ...refused(unfetched(fetched.failures)), failures: fetched.failures };
      const again = await editOf(article, fields);
      if (isFault(again)) return refused(again);
      ({ matched } = again);
    }
    const write = writeOf(article, matched, fields);
    if (isFault(write)) return refused(write);
    const called = await callRow(article, write.key, write.args, once);
    if (isFault(called)) return refused(called);
    inv = called.inv;
    if (called.status === 'proposed') return { kind: 'saved', inv };
    reached = Number(called.result['revision']);
  }
  const meta = {
    ...(fields.title.trim() === state.row.title ? {} : { title: fields.title }),
    ...(publishes && state.row.status !== 'published' ? { status: 'published' } : {}),
  };
  if (Object.keys(meta).length === 0) return { kind: 'saved', inv };
  const called = await callRow(article, 'ARTICLE_META', { slug, expected_version: reached, ...meta }, once);
  // The text is saved by then: the page that comes back is made from it.
  if (isFault(called)) return refused(called);
  return { kind: 'saved', inv: inv ?? called.inv };
}

function isChanged({ blocks, removed }: MatchedBlocks): boolean {
  return removed.length > 0 || blocks.some(({ change }) => change !== 'kept');
}

/** What the session may edit: the text, one block at a time, or nothing. */
export function rightsOf({ context, access }: OpenArticle): 'text' | 'block' | undefined {
  if (context.may('ARTICLE_REWRITE', access.slug)) return 'text';
  return context.may('VOXEL_EDIT', access.slug) ? 'block' : undefined;
}

/** The call that saves the edit: of the whole text, or of the one block that an editor changed. */
function writeOf(
  article: OpenArticle,
  { blocks, removed }: MatchedBlocks,
  { blocks: read, note }: EditFields,
): { readonly key: string; readonly args: JsonObject } | Fault {
  const { slug, version } = article.state.row;
  const hashes = new Map(read.split(' ').map((each) => each.split(':', 2) as [string, string]));
  const piece = ({ div_id, text }: (typeof blocks)[number]): JsonObject => {
    const expected = div_id === undefined ? undefined : hashes.get(div_id);
    return {
      ...(div_id === undefined ? {} : { div_id }),
      ...(expected === undefined ? {} : { expected_hash: expected }),
      text,
    };
  };
  if (rightsOf(article) !== 'block')
    return {
      key: 'ARTICLE_REWRITE',
      args: { slug, expected_version: version, blocks: blocks.map(piece), note },
    };
  const [only, ...others] = blocks.filter(({ change }) => change !== 'kept');
  if (only === undefined || only.change !== 'edited' || others.length > 0 || removed.length > 0)
    return oneBlock;
  return { key: 'VOXEL_EDIT', args: { slug, ...piece(only) } };
}

const oneBlock = fault(
  'content_rule',
  'Your key changes the text of one block and makes or removes none.',
  'Leave no blank line in the block, and edit other blocks by themselves.',
);

/** Nothing is fetched for a text that would be refused. */
async function isSound(article: OpenArticle, matched: MatchedBlocks, fields: EditFields): Promise<boolean> {
  const write = writeOf(article, matched, fields);
  if (isFault(write)) return false;
  const tried = await rehearse(article, write.key, write.args);
  return !isFault(tried) && tried.problem === null;
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
