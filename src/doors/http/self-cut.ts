/** `GET /api/dispatch?self_scope=1` (spec §4.1, contract §4): cuts a share for open rows, or from another share. */
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { selfCut } from '../../app/credentials/self-cut.ts';
import { isOpenTo } from '../../app/reads/workspaces.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { callOf } from './call-row.ts';
import { directoryOf } from './directory-routes.ts';
import { callAnswer } from './dispatch-answer.ts';
import { body } from './envelope.ts';
import { nonEmpty, readMetadata } from './parse-dispatch.ts';
import { countFailedCredential, isPrefetch } from './requests.ts';
import type { RouteAnswer, RouteContext, RouteServer } from './route.ts';

const closedWorkspace = fault(
  'scope_denied',
  'In a closed workspace nobody makes a share without a key.',
  'Cut a narrower one from yours with narrow=1, or ask the owner for an invitation.',
);

/** `self_scope=1`: a share for open rows without a key; with `narrow=1`, one cut from the share that is sent. */
export async function cutShare(
  server: RouteServer,
  context: Pick<RouteContext<{ readonly post: string }>, 'request' | 'query' | 'presented'>,
): Promise<RouteAnswer> {
  const { service, requestLimits } = server;
  const { request, query, presented } = context;
  const metadata = readMetadata(query, '?');
  if (isFault(metadata)) return metadata;
  const limited = requestLimits.start(request);
  if (limited !== undefined) return limited;
  if (query['self_scope'] !== '1' || isPrefetch(request))
    return fault('invalid_request', 'self_scope says nothing but 1.', 'Send self_scope=1.', {
      parameter: 'self_scope',
    });
  const keys = query['keys']
    ?.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (query['narrow'] === undefined || query['narrow'] === '0') {
    const directory = await directoryOf(service, query, presented);
    if (isFault(directory)) return countFailedCredential(directory, request, requestLimits);
    const { tenant } = directory;
    if (!(await isOpenTo(service, { kind: 'anonymous' }, tenant))) return closedWorkspace;
    const cut = await selfCut(service, {
      keys,
      purpose: metadata.purpose ?? '',
      actor: nonEmpty(metadata.actor) ?? null,
      tenant,
    });
    if (isFault(cut)) return cut;
    const self = {
      kind: 'capability',
      name: String(cut['fingerprint']),
      what: 'A self-cut share for open rows, shown once; it enters the ledger with its first use.',
      read: String(cut['explain_url']),
      next: cut['next'] as string[],
    };
    return body(self, cut);
  }
  if (presented.share === undefined)
    return fault('credential_required', 'There is no share to cut from.', 'Add share=<TOKEN>.');
  const answer = await dispatch(service, {
    ...callOf(server, context),
    key: 'CAP_MINT',
    body: canonicalJson({
      ...(keys === undefined ? {} : { scope: 'rows', keys }),
      ...(metadata.purpose === undefined ? {} : { purpose: metadata.purpose }),
      ...(metadata.actor === undefined ? {} : { actor: metadata.actor }),
    }),
    method: 'GET',
    n: query['n'],
    idempotencyKey: undefined,
    // Counted above, by the limit of self-cut shares.
    meter: undefined,
  });
  return callAnswer(server, request, answer);
}
