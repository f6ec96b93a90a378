/**
 * The acts of the simulation: edits by compare-and-set and uses of budgets, each under a request id that makes a repeated
 * request harmless. Batch engine, sealing and projection are the product's; so are the comparison of the hash
 * (`currentDiv`) and what is left of a budget (`usesLeft`). The tables are fewer than the product's.
 */
import type { ArticleState } from '../../src/domain/articles/state.ts';
import { currentDiv } from '../../src/domain/articles/edit-div.ts';
import { usesLeft } from '../../src/domain/capabilities/life-cycle.ts';
import type { CapabilityRow } from '../../src/domain/capabilities/tables.ts';
import { writes, type Act, type Event, type Projection, type Schema, type Tx } from '../../src/engine/act.ts';
import { integer, json, table, text } from '../../src/engine/tables.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import type { Head } from '../../src/ledger/entry.ts';

export const documentTable = table('document', {
  key: { id: text(), n: integer() },
  columns: { text: text(), vx_hash: text(), head: json<Head>() },
  aggregate: 'document',
});

/** Gives the aggregate a second table, as the product's have. */
const revisionTable = table('document_revision', {
  key: { id: text() },
  columns: { revision: integer() },
  aggregate: 'document',
});

const budgetTable = table('budget', {
  key: { id: text() },
  columns: { uses: integer(), head: json<Head>() },
  aggregate: 'budget',
});

const notesTable = table('notes', {
  key: { id: text() },
  columns: { head: json<Head>() },
  aggregate: 'notes',
});

const requestTable = table('request', {
  key: { id: text() },
  columns: { answer: json<Answer>() },
  aggregate: 'request',
  compact: true,
});

export const budgetMax = 12;
export const noText = sha256Hex('');

/** A note is appended without looking for an earlier request: who sends it does so once. */
export type Request =
  | { readonly id: string; readonly kind: 'note'; readonly target: string }
  | {
      readonly id: string;
      readonly kind: 'edit';
      readonly target: string;
      readonly expected: string;
      readonly text: string;
    }
  | { readonly id: string; readonly kind: 'spend'; readonly target: string };

export type Answer =
  | { readonly kind: 'done'; readonly hash: string }
  | { readonly kind: 'stale'; readonly hash: string }
  | { readonly kind: 'exhausted' };

export const simulationSchema: Schema = {
  version: 1,
  tables: [documentTable, revisionTable, budgetTable, notesTable, requestTable],
  project,
};

function project(event: Event, to: Projection): void {
  const { entry, hash } = event.sealed;
  const { chain: id, n, ts } = entry;
  const head = { n, hash, ts };
  const request = entry['request'] as string;
  if (entry['action'] === 'note') {
    to.put(notesTable, { id, head });
    return;
  }
  if (entry['action'] === 'spend') {
    to.put(budgetTable, { id, uses: (to.row(budgetTable, id)?.uses ?? 0) + 1, head });
    to.put(requestTable, { id: request, answer: { kind: 'done', hash } });
    return;
  }
  const written = event.contents['text_sha'] as string;
  const hashOfText = entry['text_sha'] as string;
  to.put(documentTable, { id, n: 1, text: written, vx_hash: hashOfText, head });
  to.put(revisionTable, { id, revision: n });
  to.put(requestTable, { id: request, answer: { kind: 'done', hash: hashOfText } });
}

/** What a broken build does. */
export interface ActSabotage {
  /** A budget is what the node counted itself, and not what the transaction says. */
  readonly countsOutside?: Map<string, number>;
}

/** The act of a request at a time by the node's clock. */
export function actOf(request: Request, ts: string, { countsOutside }: ActSabotage = {}): Act<Answer> {
  if (request.kind === 'note')
    return { name: 'note', keys: [writes('notes', request.target)], decide: (tx) => note(tx, request, ts) };
  const aggregate = request.kind === 'edit' ? 'document' : 'budget';
  return {
    name: request.kind,
    keys: [writes(aggregate, request.target), writes('request', request.id)],
    decide(tx) {
      const repeated = tx.row(requestTable, request.id);
      if (repeated !== undefined) return repeated.answer;
      if (request.kind === 'edit') return edit(tx, request, ts);
      const answer = spend(tx, request, ts, countsOutside?.get(request.target));
      if (answer.kind === 'done')
        countsOutside?.set(request.target, (countsOutside.get(request.target) ?? 0) + 1);
      return answer;
    },
  };
}

function edit(tx: Tx, request: Request & { readonly kind: 'edit' }, ts: string): Answer {
  const row = tx.row(documentTable, request.target, 1);
  const div = { div_id: 'd1', status: 'current', vx_hash: row?.vx_hash ?? noText, text: row?.text ?? '' };
  const state = { row: { slug: request.target }, divs: new Map([['d1', div]]) } as unknown as ArticleState;
  const found = currentDiv(state, 'd1', request.expected);
  if ('fault' in found) return { kind: 'stale', hash: div.vx_hash };
  tx.append({
    draft: {
      chain: request.target,
      ts,
      actor: 'owner',
      action: 'edit',
      request: request.id,
      expected: request.expected,
    },
    head: row?.head ?? null,
    contents: [{ field: 'text_sha', value: request.text, plain: true }],
  });
  return { kind: 'done', hash: sha256Hex(request.text) };
}

/** `counted`: uses that were counted elsewhere. */
function spend(
  tx: Tx,
  request: Request & { readonly kind: 'spend' },
  ts: string,
  counted: number | undefined,
): Answer {
  const row = tx.row(budgetTable, request.target);
  const uses = counted ?? row?.uses ?? 0;
  const capability = { record: { max_uses: budgetMax }, uses } as unknown as CapabilityRow;
  if (usesLeft(capability, []) === 0) return { kind: 'exhausted' };
  const appended = tx.append({
    draft: { chain: request.target, ts, actor: 'owner', action: 'spend', request: request.id },
    head: row?.head ?? null,
    contents: [{ field: 'content_sha', value: { request: request.id } }],
  });
  return { kind: 'done', hash: appended.sealed.hash };
}

function note(tx: Tx, { id, target }: Request & { readonly kind: 'note' }, ts: string): Answer {
  const appended = tx.append({
    draft: { chain: target, ts, actor: 'owner', action: 'note', request: id },
    head: tx.row(notesTable, target)?.head ?? null,
    contents: [{ field: 'content_sha', value: { request: id } }],
  });
  return { kind: 'done', hash: appended.sealed.hash };
}
