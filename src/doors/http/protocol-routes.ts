/**
 * `/api/protocol` and the writes below an article (spec §4.3, §4.4): each dispatches one row, with the row's arguments
 * by name and a credential in the header or in the body's `key`. The answer has the row's result at top level.
 */
import type { Answer } from '../../app/plans/call.ts';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { repairCall } from '../../app/pipeline/repair.ts';
import { baseText } from '../../app/reads/articles.ts';
import type { Service } from '../../app/service.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import { callOf, rowAnswer, callRow } from './call-row.ts';
import { workspaceAndShare, shareOnly } from './parameters.ts';
import { bodyText } from './request-bodies.ts';
import { operationId, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import type { BodyLimits } from './transport-errors.ts';

const writes: Readonly<Record<string, string>> = {
  'voxel-divide': 'VOXEL_DIVIDE',
  'voxel-edit': 'VOXEL_EDIT',
  'voxel-move': 'VOXEL_MOVE',
  'voxel-consolidate': 'VOXEL_CONSOLIDATE',
  'voxel-burn': 'VOXEL_BURN',
  'voxel-batch': 'VOXEL_BATCH',
  claim: 'CLAIM_POST',
  sources: 'SOURCE_POST',
  article: 'ARTICLE_META',
  repair: 'CLAIM_REPAIR',
  retract: 'CLAIM_RETRACT',
  import: 'ARTICLE_IMPORT',
  image: 'IMAGE_STORE',
  'voxel-challenge': 'VOXEL_CHALLENGE',
  'voxel-attest': 'VOXEL_ATTEST',
  'voxel-vote': 'VOXEL_VOTE',
  'voxel-ratify': 'VOXEL_RATIFY',
  'thread-update': 'THREAD_UPDATE',
  ask: 'ARTICLE_ASK',
  ingest: 'ARTICLE_INGEST',
};

export function protocolRoutes(server: RouteServer, { batchBytesMax, importBytesMax }: BodyLimits): void {
  const { service } = server;
  const large = {
    'voxel-batch': { bodyLimit: batchBytesMax, config: { isBatch: true } },
    import: { bodyLimit: importBytesMax, config: { isImport: true } },
    image: { bodyLimit: batchBytesMax },
  };
  for (const [path, key] of Object.entries(writes))
    route(
      server,
      {
        post: `/api/protocol/${path}`,
        id: operationId(key),
        summary: service.rows.get(key)?.contract.what ?? key,
        tag: 'protocol',
        row: key,
        // Without authority for the row, the repair becomes a proposal.
        ...(path === 'repair'
          ? { caller: 'optional' as const, results: ['CLAIM_REPAIR', 'MIRROR_APPEND'] }
          : {}),
        query: workspaceAndShare,
        ...large[path as keyof typeof large],
      },
      async (context) => {
        const isRepair = path === 'repair';
        const call = isRepair
          ? await repairCall(service, context.args, context.presented)
          : { key, args: context.args, presented: context.presented };
        if (isFault(call)) return call;
        const { args, presented } = call;
        const text = bodyText(service, context.request, presented, call.key, args);
        const answer = await dispatch(service, {
          ...callOf(server, context),
          key: call.key,
          body: text,
          // The arguments of a repair are computed; those of other calls were parsed from the body.
          named: isRepair ? undefined : { text, args },
          presented,
        });
        return rowAnswer(server, context, await withBase(service, args, answer));
      },
    );
}

/** Adds the base text and a diff to a stale edit, to make merging easier. */
async function withBase(service: Service, args: JsonObject, answer: Answer | Fault): Promise<Answer | Fault> {
  const stale = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (stale?.fault !== 'hash_stale') return answer;
  const { slug } = args;
  const { div_id: divId, expected_hash: expected, current_text: current } = stale.details ?? {};
  if (
    typeof slug !== 'string' ||
    typeof divId !== 'string' ||
    typeof expected !== 'string' ||
    typeof current !== 'string'
  )
    return answer;
  const text = await baseText(service, slug, divId, expected);
  if (text === undefined) return answer;
  const merged: Fault = {
    ...stale,
    details: { ...stale.details, base_text: text, diff: wordDiff(text, current) },
  };
  return isFault(answer) || answer.kind === 'shape' ? merged : { ...answer, refusal: merged };
}

export function mirrorRoutes(server: RouteServer): void {
  route(
    server,
    {
      post: '/api/articles/:slug/mirror',
      id: 'contribute',
      summary: 'A question, objection, source, repair or audit for a claim, or for the article as a whole.',
      tag: 'articles',
      row: 'MIRROR_APPEND',
      fixed: ['slug'],
      // Default: the article as a whole.
      optional: ['claim_id'],
      query: shareOnly,
      pathArguments: ({ slug = '' }) => ({ slug }),
    },
    (context) => callRow(server, context, 'MIRROR_APPEND', { claim_id: '', ...context.args }),
  );
  route(
    server,
    {
      post: '/api/articles/:slug/objections',
      id: 'object',
      summary: 'An objection to the article.',
      tag: 'articles',
      row: 'OBJECTION_LOG',
      fixed: ['slug'],
      query: shareOnly,
      pathArguments: ({ slug = '' }) => ({ slug }),
    },
    (context) => callRow(server, context, 'OBJECTION_LOG', context.args),
  );
  route(
    server,
    {
      post: '/api/articles/:slug/mirror/:id/resolve',
      id: 'resolveContribution',
      summary: 'The owner decides about a contribution.',
      tag: 'protocol',
      row: 'MIRROR_RESOLVE',
      fixed: ['slug', 'contribution_id'],
      query: shareOnly,
      pathArguments: ({ slug = '', id = '' }) => ({ slug, contribution_id: id }),
    },
    (context) => callRow(server, context, 'MIRROR_RESOLVE', context.args),
  );
}
