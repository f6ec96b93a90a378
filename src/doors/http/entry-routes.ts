/** `/start`, `/api/workspace` and `/llms.txt` (spec §4.2, contract §7): the ways in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enterInvited } from '../../app/pipeline/enter-invited.ts';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { enter, enterOpen, listWorkspaces, precedence, workspaceRecord } from '../../app/reads/entry.ts';
import { noWorkspace, tenantOf, workspaceOf } from '../../app/reads/workspaces.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { publicKeys, readRole, roles } from '../../domain/workspaces/roles.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { llmsText } from '../../represent/llms-text.ts';
import { writeAtAddress } from './address-write.ts';
import { body, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { countCredential, isPrefetch, presentedBy, readQuery, stringMember, type Query } from './requests.ts';
import { declare, declared, readable } from './declare.ts';
import { actor as actorTaken, choice, once, share, shared } from './parameters.ts';
import type { Taking } from './misread.ts';
import { viewerOf } from './viewer.ts';

const start = declare({
  id: 'start',
  summary: 'Mints a bounded credential and says where to go with it.',
  tag: 'workspaces',
  caller: 'nobody',
  query: { actor: actorTaken },
  rules: actorRules,
});
const entering = declare({
  id: 'enterWorkspace',
  summary: 'Mints a credential for a role of a workspace.',
  tag: 'workspaces',
  caller: 'anybody',
  query: { role: choice(Object.keys(roles), 'observer without it'), actor: actorTaken, n: once, share },
  rules: actorRules,
});
const workspaces = declare({
  id: 'listWorkspaces',
  summary: 'The workspaces of this deployment, and how to enter them.',
  tag: 'workspaces',
  caller: 'anybody',
  query: shared,
});
const oneWorkspace = declare({
  ...workspaces,
  id: 'readWorkspace',
  summary: 'What a workspace is, and how to enter it.',
});
const creation = declare({
  id: 'createWorkspace',
  summary: 'Makes a workspace.',
  tag: 'workspaces',
  row: 'WORKSPACE_CREATE',
  query: shared,
});
const setting = declare({
  ...creation,
  id: 'setWorkspace',
  summary: 'Changes what a workspace says of itself, and whether it is open.',
  row: 'WORKSPACE_SET',
  fixed: ['name'],
});
const llms = {
  id: 'readLlmsText',
  summary: 'The site for readers that are models (llmstxt.org).',
  tag: 'discovery',
  caller: 'nobody',
  query: undefined,
  json: false,
  types: ['text/plain'],
} as const;

/** Told at the door: whoever can only fetch may be blind to the bodies of errors. */
const blindReaders =
  'Any of these addresses with soft=1 added answers errors with status 200 and the same body. An address that writes fires once; with another n it is another call.';
const actorCharsMax = 200;
const publicCache = 'public, max-age=60';

export function entryRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.get('/start', declared(start), async (request, reply) => {
    const query = minting(request, intake, start);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const actor = actorOf(query);
    if (isFault(actor)) return sendProblem(reply, request, base, actor);
    const workspace = await workspaceOf(service, mainTenant);
    const entered = await enter(service, { workspace, keys: publicKeys, purpose: 'start', actor });
    return isFault(entered)
      ? sendProblem(reply, request, base, entered)
      : sendOnce(reply, base, 'start', 'A bounded credential and where to go with it.', entered);
  });

  app.get('/api/workspace/:name/enter', declared(entering), async (request, reply) => {
    const query = minting(request, intake, entering);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const name = nameIn(request);
    const actor = actorOf(query);
    if (isFault(actor)) return sendProblem(reply, request, base, actor);
    const entered = await enterAs(name, query, actor, presented, intake.address(request));
    return isFault(entered)
      ? sendProblem(reply, request, base, countCredential(entered, request, intake))
      : sendOnce(reply, base, name, 'A credential for a role of this workspace.', entered);
  });

  async function enterAs(
    name: string,
    { role: asked = 'observer', n }: Query,
    actor: string | null,
    presented: Presented,
    client: string,
  ): Promise<JsonObject | Fault> {
    const viewer = await authenticateReader(service, presented);
    if (isFault(viewer)) return viewer;
    const tenant = await tenantOf(service, viewer, { workspace: name });
    if (tenant === undefined) return noWorkspace(name);
    const role = readRole(asked);
    if (isFault(role)) return role;
    const workspace = await workspaceOf(service, tenant);
    const invitation = viewer.kind === 'share' ? viewer.chain[0] : undefined;
    return invitation?.record.role === role
      ? enterInvited(service, { workspace, role, actor, invitation, presented, n, client })
      : enterOpen(service, workspace, role, actor);
  }

  app.get('/api/workspace', readable(workspaces), async (request, reply) => {
    const query = readQuery(request, workspaces);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', publicCache);
    const self = {
      kind: 'workspace',
      name: 'workspaces',
      what: 'The workspaces of this deployment, and how to enter them.',
      read: `${base}/api/workspace`,
      write: `${base}/api/workspace`,
      schema: `${base}/api/dispatch?schema=invocation`,
      next: [`${base}/start`, `${base}/api/dispatch?map=1`],
    };
    return sendJson(reply, body(self, { workspaces: await listWorkspaces(service, viewer), precedence }));
  });

  app.get('/api/workspace/:name', readable(oneWorkspace), async (request, reply) => {
    const query = readQuery(request, oneWorkspace);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const name = nameIn(request);
    const tenant = await tenantOf(service, viewer, { workspace: name });
    if (tenant === undefined) return sendProblem(reply, request, base, noWorkspace(name));
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', publicCache);
    const record = workspaceRecord(service, await workspaceOf(service, tenant));
    const self = {
      kind: 'workspace',
      name,
      what: 'What this workspace is, and how to enter it.',
      read: links.workspace(base, name),
      next: record['enter'] as string[],
    };
    return sendJson(reply, body(self, { workspace: record, precedence }));
  });

  app.post('/api/workspace', declared(creation), (request, reply) =>
    writeAtAddress(service, intake, request, reply, {
      taking: creation,
      row: 'WORKSPACE_CREATE',
      fixed: {},
    }),
  );
  app.patch('/api/workspace/:name', declared(setting), (request, reply) =>
    writeAtAddress(service, intake, request, reply, {
      taking: setting,
      row: 'WORKSPACE_SET',
      fixed: { name: nameIn(request) },
    }),
  );

  app.get('/llms.txt', readable(llms), async (_request, reply) =>
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', publicCache)
      .send(llmsText(base, precedence)),
  );
}

/** What a request for a credential says; a browser that fetches ahead of its reader gets none. */
function minting(request: FastifyRequest, intake: Intake, taking: Taking): Query | Fault {
  const query = readQuery(request, taking);
  if (isFault(query)) return query;
  if (isPrefetch(request))
    return fault('invalid_request', 'A prefetch is handed no credential.', 'Open the address itself.');
  return intake.start(request) ?? query;
}

function actorRules(query: Query): readonly unknown[] {
  return [actorOf(query)];
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
  const self = { kind: 'entry', name, what, read: `${base}/api/workspace` };
  return sendJson(reply, body(self, { ...entered, _explain: blindReaders }));
}

function nameIn(request: FastifyRequest): string {
  return (request.params as { readonly name: string }).name;
}
