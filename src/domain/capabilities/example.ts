/**
 * The example of a row (spec §2.6) is a body that works. Hashes and ids that only an earlier answer has stand in it as
 * `<name>`, and the row says beside it where each is read; `test/http/examples.test.ts` fills them in and calls every row.
 */
import type { RowView } from '../../model/directory.ts';

/** Where the value for a placeholder is read; `{slug}` is the article of the example. */
const readAt: Readonly<Record<string, string>> = {
  assignment_id: 'assignment_id in the answer of LANDSCAPE_NEXT',
  article_version: 'version in /api/articles/{slug}',
  bundle_json: 'the whole answer of /api/articles/{slug}/bundle, of this deployment or another',
  content_hash: 'content_hash in /api/articles/{slug}',
  contribution_id: 'id of a contribution in /api/articles/{slug}/mirror',
  entry_id:
    'entry.id in the answer of OBJECTION_LOG, or id of an open entry in /api/articles/{slug}/discourse',
  failed_invocation_id: 'invocation.id of a call that failed',
  hash_of_c1: 'hash of c1 in /api/articles/{slug}/claims',
  hook_id: 'result.id in the answer of NOTIFY_PUT',
  invocation_id: 'invocation.id of an earlier call',
  key_fingerprint: 'fingerprint in the answer of KEY_MINT',
  proposal_id: 'invocation.id of a call that was answered with 202, or /api/invocations?status=proposed',
  share_fingerprint: 'fingerprint in the answer of CAP_MINT',
  thread_head: 'thread_head in /api/articles/{slug}/claims',
  vote_id: 'vote_id in the answer of VOXEL_VOTE',
  vx_hash_of_d2: 'vx_hash of d2 in /api/articles/{slug}/voxels',
  vx_hash_of_d3: 'vx_hash of d3 in /api/articles/{slug}/voxels',
};

export interface Place {
  /** As it stands in the body: `<thread_head>`. */
  readonly place: string;
  readonly readAt: string;
}

/** What of an example is to be replaced; an example without such places works as it stands. */
export function findPlaceholders(example: string): readonly Place[] {
  const names = [...example.matchAll(/<([a-z][a-z0-9_]*)>/g)].map(([, name]) => name as string);
  return [...new Set(names)].flatMap((name) =>
    Object.hasOwn(readAt, name) ? [{ place: `<${name}>`, readAt: readAt[name] as string }] : [],
  );
}

export function exampleView(body: string): RowView['examples'][number] {
  const places = findPlaceholders(body).map(({ place, readAt: where }) => [place, where] as const);
  return { body, ...(places.length === 0 ? {} : { replace: Object.fromEntries(places) }) };
}
