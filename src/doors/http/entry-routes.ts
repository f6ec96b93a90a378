/** `/start`, `/api/workspace` and `/llms.txt` (spec §4.2, contract §7): the ways in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enter, enterWorkspace, precedence, workspaceRecord } from '../../app/reads/entry.ts';
import { publicKeys } from '../../app/credentials/self-cut.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { llmsText } from '../../represent/llms-text.ts';
import { body, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { isPrefetch, readable, readQuery, stringMember, type Query } from './requests.ts';

const actorCharsMax = 200;
const publicCache = 'public, max-age=60';

export function entryRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.get('/start', async (request, reply) => {
    const query = minting(request, intake, ['actor']);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const actor = actorOf(query);
    if (isFault(actor)) return sendProblem(reply, request, base, actor);
    const entered = await enter(service, { tenant: mainTenant, keys: publicKeys, purpose: 'start', actor });
    return isFault(entered)
      ? sendProblem(reply, request, base, entered)
      : sendOnce(reply, base, 'start', 'A bounded credential and where to go with it.', entered);
  });

  app.get('/api/workspace/:name/enter', async (request, reply) => {
    const { name = '' } = request.params as { readonly name?: string };
    const query = minting(request, intake, ['role', 'actor']);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    if (name !== mainTenant) return sendProblem(reply, request, base, noWorkspace(name));
    const actor = actorOf(query);
    if (isFault(actor)) return sendProblem(reply, request, base, actor);
    const entered = await enterWorkspace(service, name, query['role'] ?? 'observer', actor);
    return isFault(entered)
      ? sendProblem(reply, request, base, entered)
      : sendOnce(reply, base, name, 'A credential for a role of this workspace.', entered);
  });

  app.get('/api/workspace', readable, async (request, reply) => {
    const query = readQuery(request, []);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    void reply.header('cache-control', publicCache);
    const self = {
      kind: 'workspace',
      name: mainTenant,
      what: 'The workspaces of this deployment, and how to enter them.',
      read: `${base}/api/workspace`,
      schema: `${base}/api/dispatch?schema=invocation`,
      next: [`${base}/start`, `${base}/api/dispatch?map=1`],
    };
    return sendJson(reply, body(self, { workspaces: [workspaceRecord(service, mainTenant)], precedence }));
  });

  app.get('/llms.txt', readable, async (_request, reply) =>
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', publicCache)
      .send(llmsText(base, precedence)),
  );
}

/** What a request for a credential says; a browser that fetches ahead of its reader gets none. */
function minting(request: FastifyRequest, intake: Intake, known: readonly string[]): Query | Fault {
  const query = readQuery(request, known);
  if (isFault(query)) return query;
  if (isPrefetch(request))
    return fault('invalid_request', 'A prefetch is handed no credential.', 'Open the address itself.');
  return intake.start(request) ?? query;
}

function actorOf(query: Query): string | null | Fault {
  const actor = stringMember(query, 'actor', actorCharsMax);
  return isFault(actor) ? actor : actor === undefined || actor === '' ? null : actor;
}

function sendOnce(
  reply: FastifyReply,
  base: string,
  name: string,
  what: string,
  entered: Parameters<typeof body>[1],
): FastifyReply {
  void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
  return sendJson(reply, body({ kind: 'entry', name, what, read: `${base}/api/workspace` }, entered));
}

function noWorkspace(name: string): Fault {
  return fault(
    'not_found',
    `There is no workspace ${name.slice(0, 60)} that you could enter.`,
    'Read /api/workspace for those that there are.',
  );
}
