/**
 * An assignment as it is read (spec §4.4, contract §7), never with its share, and a comparison table as Markdown and
 * CSV. Texts by others become neither markup nor a formula.
 */
import { batchBody, proposalBody } from '../domain/landscape/batch-body.ts';
import type { AssignmentRecord, AssignmentRow } from '../domain/landscape/tables.ts';
import { workCalls } from '../domain/landscape/work-calls.ts';
import { links } from '../domain/links.ts';
import type { AssignmentView, ReadyBatch } from '../model/landscape.ts';

/** `now` is ISO 8601: a lease that has ended is shown as ended; no entry records the end. */
function assignmentStatus(
  { record, completed_at: done, returned_at: returned }: AssignmentRow,
  now: string,
): AssignmentView['status'] {
  if (done !== null) return 'completed';
  if (returned !== null) return 'returned';
  return record.expires_at > now ? 'open' : 'expired';
}

export function assignmentJson(base: string, row: AssignmentRow, now: string): AssignmentView {
  const { record, result, completed_at, returned_at } = row;
  const { id, cohort, lane, item, snapshot, snapshot_hash, capability_fingerprint } = record;
  return {
    id,
    cohort,
    lane,
    target: { ...item.target },
    axis: item.axis,
    slot: item.slot,
    article: item.article,
    selection: { ...item.selection },
    status: assignmentStatus(row, now),
    snapshot: snapshot,
    snapshot_hash,
    capability_fingerprint,
    actor: record.actor,
    result: result.map((each) => ({ ...each })),
    leased_at: record.leased_at,
    expires_at: record.expires_at,
    completed_at,
    returned_at,
    receipt: record.receipt,
    read: links.assignment(base, id),
    article_url: links.article(base, item.article),
  };
}

/** Where and with what work on the assignment is sent; its worker puts the share under `key`, or `share` for a dispatch. */
export function readyBatch(
  base: string,
  { record }: Pick<AssignmentRow, 'record'>,
  key?: string,
): ReadyBatch {
  const proposal = proposalBody(record);
  if (proposal !== undefined)
    return {
      method: 'POST',
      url: links.dispatch(base),
      body: key === undefined ? proposal : { ...proposal, share: key },
    };
  const body = batchBody(record);
  return { method: 'POST', url: links.batch(base), body: key === undefined ? body : { ...body, key } };
}

/** Addresses that do the work, with `{name}` for what its worker says. `share` is the share itself or its placeholder. */
export function workTemplates(
  base: string,
  record: AssignmentRecord,
  isPublic: boolean,
  share = '{share}',
): readonly string[] {
  return workCalls(record, isPublic).map(({ key, args }) => {
    const said = args.map((name) => `&arg.${name}={${name}}`).join('');
    return `${links.dispatch(base)}?invoke=${key}&share=${share}${said}`;
  });
}

/** The address that gives the lease back. */
export function returnAddress(base: string, share: string): string {
  return `${links.dispatch(base)}?invoke=LANDSCAPE_RETURN&share=${share}`;
}

export interface TextTable {
  readonly title: string;
  readonly axes: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    /** Claim and address by axis; null for a cell that nothing fills yet. */
    readonly cells: readonly ({ readonly text: string; readonly url: string } | null)[];
  }[];
}

export function tableMarkdown({ title, axes, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `# ${plain(title)}`,
    '',
    line(['target', ...axes.map(plain)]),
    line(['---', ...axes.map(() => '---')]),
    ...rows.map(({ name, cells }) =>
      line([
        plain(name),
        ...cells.map((cell) => (cell === null ? '' : `${plain(cell.text)} ([claim](${cell.url}))`)),
      ]),
    ),
    '',
  ].join('\n');
}

/** One line in which nothing is markup: the rest of CommonMark's marks count at the start of a line only. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>|~&!]/g, '\\$&');
}

/** RFC 4180, with two columns an axis: what is claimed, and where. */
export function tableCsv({ axes, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
  return [
    line(['target', ...axes.flatMap((axis) => [axis, `${axis} (claim)`])]),
    ...rows.map(({ name, cells }) =>
      line([name, ...cells.flatMap((cell) => (cell === null ? ['', ''] : [cell.text, cell.url]))]),
    ),
  ].join('');
}

/** A spreadsheet takes what begins so for a formula. */
function quoted(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
