/**
 * The ready batch body of an assignment (contract §7): what its worker sends to `/api/protocol/voxel-batch`, with a
 * place in braces for every word that only the worker can fill in. A pure function of what the assignment recorded.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { AssignmentRecord } from './tables.ts';

/** Without the key: whoever shows a body to its worker adds it. */
export function batchBody(record: AssignmentRecord): JsonObject {
  const { id, lane } = record;
  const frame = { assignment_id: id, actor: '{your name}' };
  switch (lane) {
    case 'field':
      return {
        ...frame,
        operations: [sourceOperation(record), claimOperation(record, [record.footing.next_source])],
      };
    case 'build':
      return { ...frame, document: { slug: record.item.article, markdown: '{blocks of Markdown}' } };
    case 'opposition':
      return { ...frame, operations: [challengeOperation(record)] };
    case 'synthesis': {
      const { sources, next_source: next } = record.footing;
      return sources.length === 0
        ? { ...frame, operations: [sourceOperation(record), claimOperation(record, [next], true)] }
        : { ...frame, operations: [claimOperation(record, sources, true)] };
    }
  }
}

function sourceOperation({ item: { target } }: AssignmentRecord): JsonObject {
  return {
    op: 'source',
    sources: [
      {
        type: '{kind of source, such as adjacent or review}',
        url:
          target.url ??
          (/^https?:/.test(target.repository ?? '') ? target.repository : '{http or https address}'),
        title: '{title of the page}',
        quote: '{the exact words}',
        summary: '{what they show}',
      },
    ],
  };
}

/** A finding on an axis is a comparison: it says of which population, when and how its targets were chosen. */
function claimOperation(
  record: AssignmentRecord,
  sourceIds: readonly string[],
  compares = false,
): JsonObject {
  const { item, cohort } = record;
  const { query, sort, captured_at, source_url } = item.selection;
  const comparison =
    item.axis === null && !compares
      ? {}
      : {
          comparison: {
            population: `${cohort}: ${query}`.slice(0, 500).toWellFormed(),
            axis: item.axis ?? '{axis}',
            captured_at,
            selection:
              `${query}${sort === '' ? '' : `, sorted by ${sort}`}${source_url === null ? '' : `, from ${source_url}`}`
                .slice(0, 500)
                .toWellFormed(),
          },
        };
  return {
    op: 'claim',
    text: `{one falsifiable assertion about ${item.target.name}}`,
    tier: '{human, preclinical, anecdotal, mechanistic, speculative or system}',
    who_claims: '{who says so}',
    source_ids: [...sourceIds],
    ...(item.slot === null ? {} : { slot: item.slot }),
    ...comparison,
  };
}

function challengeOperation({ footing, snapshot, item }: AssignmentRecord): JsonObject {
  if (footing.div === null)
    return { op: 'vote', target: item.article, proposal: 'should_burn', rationale: '{why}' };
  return {
    op: 'challenge',
    target_div: footing.div.id,
    expected_hash: footing.div.hash,
    expected_thread_head: snapshot.article.thread_head,
    body: '{what speaks against it}',
  };
}
