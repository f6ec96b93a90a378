/**
 * The ready batch body of an assignment (contract §7): what its worker sends to `/api/protocol/voxel-batch`, with a
 * place in braces for every word that only the worker can fill in. A pure function of what the assignment recorded.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { AssignmentRecord } from './tables.ts';
import type { Lane } from '../../model/vocabulary.ts';

/** Without the key, which is added when the body is shown to its worker. */
export function batchBody(record: AssignmentRecord): JsonObject {
  const { id, lane } = record;
  const frame = { assignment_id: id, actor: '{your name}' };
  const filed = {
    ...frame,
    operations: [sourceOperation(record), claimOperation(record, [record.footing.next_source])],
  };
  switch (lane) {
    case 'field':
      return filed;
    case 'build':
      // The text of a published article is not the work's to extend.
      if (record.snapshot.article.exists) return filed;
      return { ...frame, document: { slug: record.item.article, markdown: '{blocks of Markdown}' } };
    case 'opposition':
      // The article of a contributor's work is a draft, and a draft cannot be challenged.
      if (record.free === true && !record.snapshot.article.exists) return filed;
      return { ...frame, operations: [challengeOperation(record)] };
    case 'synthesis': {
      const { sources, next_source: next } = record.footing;
      return sources.length === 0
        ? { ...frame, operations: [sourceOperation(record), claimOperation(record, [next], true)] }
        : { ...frame, operations: [claimOperation(record, sources, true)] };
    }
  }
}

/** The kind of a mirror contribution that completes each lane. */
export const proposedKind: Readonly<Record<Lane, string>> = {
  field: 'source',
  build: 'source',
  opposition: 'objection',
  synthesis: 'audit',
};

const proposes: Readonly<Record<Lane, string | undefined>> = {
  field: '{an http or https address, and the exact words in quotation marks}',
  build: '{an http or https address, and the exact words in quotation marks}',
  opposition: undefined,
  synthesis: '{how it compares with the other targets, and by which source}',
};

/** What a contributor sends to dispatch instead where the article is published: a proposal for the mirror. */
export function proposalBody({ lane, item, snapshot, free }: AssignmentRecord): JsonObject | undefined {
  const proposal = proposes[lane];
  if (free !== true || !snapshot.article.exists || proposal === undefined) return undefined;
  return {
    key: 'MIRROR_APPEND',
    body: {
      slug: item.article,
      claim_id: '',
      kind: proposedKind[lane],
      actor: '{your name}',
      body: proposal,
    },
  };
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
  const { item } = record;
  const comparison =
    item.axis === null && !compares
      ? {}
      : { comparison: { ...comparisonOf(record), axis: item.axis ?? '{axis}' } };
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

/** What a comparison states of how its targets were chosen. */
export function comparisonOf({ item, cohort }: AssignmentRecord): JsonObject {
  const { query, sort, captured_at, source_url } = item.selection;
  return {
    population: `${cohort}: ${query}`.slice(0, 500).toWellFormed(),
    captured_at,
    selection:
      `${query}${sort === '' ? '' : `, sorted by ${sort}`}${source_url === null ? '' : `, from ${source_url}`}`
        .slice(0, 500)
        .toWellFormed(),
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
