/** `/start`, `/api/workspace` and `/llms.txt` (spec §4.2, contract §7): how to enter. */
import { enterInvited } from '../../app/pipeline/enter-invited.ts';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { enter, enterOpen } from '../../app/credentials/self-cut.ts';
import { findArticle } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import { type EntryAbout, listWorkspaces, precedence, workspaceRecord } from '../../app/reads/entry.ts';
import { noWorkspace, tenantOf, workspaceOf } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { readRole, roles, startKeys } from '../../domain/workspaces/roles.ts';
import { fault, invalidParameter, isFault, type Fault } from '../../kernel/fault.ts';
import type { Entered } from '../../model/workspace.ts';
import { searchTemplate } from '../../represent/templates.ts';
import { llmsText } from '../../represent/model-texts.ts';
import { callRow } from './call-row.ts';
import { body } from './envelope.ts';
import { actor as actorTaken, choice, nonce, share, shareOnly, stringParam } from './parameters.ts';
import { countFailedCredential, stringMember, type Query } from './requests.ts';
import { mediaReply, secretJson } from './replies.ts';
import { route } from './route.ts';
import type { RouteServer, RouteAnswer } from './route-declaration.ts';

const described = { tag: 'workspaces', caller: 'optional', query: shareOnly } as const;
const reading = { ...described, limit: 'read', cache: 'public, max-age=60', etag: true } as const;

const minting = {
  limit: 'start',
  prefetch: fault('invalid_request', 'A prefetch is handed no credential.', 'Open the address itself.'),
  head: 'none',
  fires: () => true,
  answers: ['Entered'],
  fresh: true,
} as const;

/** Told on entry, for clients that cannot see the bodies of errors. */
const softHint =
  'To dispute a claim: OBJECTION_LOG. To propose another wording: MIRROR_APPEND with kind repair. To challenge a block as it was read: VOXEL_CHALLENGE, whose hashes may be cut to their first 12 characters; in its text a pipe is written %5C%7C. To be refused if a text has changed since it was read, add arg.expected_hash= with the hash of the claim or block to OBJECTION_LOG, or arg.content_hash= to OIP_ARTICLE_REVIEW. To confirm what stands already, add arg.duplicate_of= with its id. A space may be written +. Each answer has receipt.confirm, which shows what was recorded, and later under written what became of it; receipt.url with /feed.xml added is a feed of that. Any of these addresses with soft=1 added answers errors with status 200 and the same body. An address that writes fires once; with another n it is another call.';
const actorCharsMax = 200;

export function entryRoutes(server: RouteServer): void {
  const { service, requestLimits } = server;
  const { base } = service;

  const entry = (name: string, what: string, entered: Entered | Fault): RouteAnswer => {
    if (isFault(entered)) return entered;
    const self = { kind: 'entry', name, what, read: `${base}/api/workspace` };
    return secretJson(body(self, { ...entered, _explain: softHint }));
  };

  route(
    server,
    {
      ...minting,
      get: '/start',
      id: 'start',
      summary: 'Mints a bounded credential and says where to go with it.',
      tag: 'workspaces',
      caller: 'none',
      query: {
        actor: actorTaken,
        slug: stringParam('an article: next[] and templates[] are made for it'),
        claim: stringParam('a claim of that article, such as c2'),
      },
      rules: (query) => [...actorRules(query), claimFault(query)],
    },
    async ({ query }) => {
      const actor = actorOf(query);
      if (isFault(actor)) return actor;
      const about = await articleNamed(query);
      if (isFault(about)) return about;
      const workspace = await workspaceOf(service, mainTenant);
      const entered = await enter(service, { workspace, keys: startKeys, purpose: 'start', actor, about });
      return entry('start', 'A bounded credential and where to go with it.', entered);
    },
  );

  /** The article and claim that `/start` is asked for; no credential is handed out for one that is not there. */
  async function articleNamed({ slug, claim }: Query): Promise<EntryAbout | Fault> {
    if (slug === undefined) return {};
    const access = await findArticle(service, slug, { kind: 'anonymous' });
    if (isFault(access)) return access;
    if (claim === undefined) return { access };
    const found = (await loadArticle(service, access.aid)).claims.get(claim);
    if (found?.claim.status === 'active') return { access, claim };
    return fault(
      'not_found',
      `${slug} has no claim ${claim.slice(0, 20)}.`,
      `Use one of ${links.articlePart(base, slug, 'claims')}, or leave claim out.`,
    );
  }

  route(
    server,
    {
      ...described,
      ...minting,
      get: '/api/workspace/:name/enter',
      id: 'enterWorkspace',
      summary: 'Mints a credential for a role of a workspace.',
      query: { role: choice(Object.keys(roles), 'observer without it'), actor: actorTaken, n: nonce, share },
      rules: actorRules,
      auth: 'handler',
    },
    async ({ request, query, params: { name = '' }, presented }) => {
      const actor = actorOf(query);
      if (isFault(actor)) return actor;
      const entered = await enterAs(name, query, actor, presented, requestLimits.address(request));
      if (isFault(entered)) return countFailedCredential(entered, request, requestLimits);
      return entry(name, 'A credential for a role of this workspace.', entered);
    },
  );

  async function enterAs(
    name: string,
    { role: requestedRole = 'observer', n }: Query,
    actor: string | null,
    presented: Presented,
    client: string,
  ): Promise<Entered | Fault> {
    const viewer = await authenticateReader(service, presented);
    if (isFault(viewer)) return viewer;
    const tenant = await tenantOf(service, viewer, { workspace: name });
    if (tenant === undefined) return noWorkspace(name);
    const role = readRole(requestedRole);
    if (isFault(role)) return role;
    const workspace = await workspaceOf(service, tenant);
    const invitation = viewer.kind === 'share' ? viewer.chain[0] : undefined;
    return invitation?.record.role === role
      ? enterInvited(service, { workspace, role, actor, invitation, presented, n, client })
      : enterOpen(service, workspace, role, actor);
  }

  route(
    server,
    {
      ...reading,
      get: '/api/workspace',
      id: 'listWorkspaces',
      summary: 'The workspaces of this deployment, and how to enter them.',
      answers: ['Workspaces'],
    },
    async ({ viewer }) => {
      const self = {
        kind: 'workspace',
        name: 'workspaces',
        what: 'The workspaces of this deployment, and how to enter them.',
        read: `${base}/api/workspace`,
        write: `${base}/api/workspace`,
        schema: `${base}/api/dispatch?schema=invocation`,
        next: [`${base}/start`, `${base}/api/dispatch?map=1`],
      };
      return body(self, {
        workspaces: await listWorkspaces(service, viewer),
        templates: [`${base}/start?slug={slug}`, searchTemplate(base)],
        precedence,
      });
    },
  );

  route(
    server,
    {
      ...reading,
      get: '/api/workspace/:name',
      id: 'readWorkspace',
      summary: 'What a workspace is, and how to enter it.',
      answers: ['Workspace'],
    },
    async ({ viewer, params: { name = '' } }) => {
      const tenant = await tenantOf(service, viewer, { workspace: name });
      if (tenant === undefined) return noWorkspace(name);
      const record = workspaceRecord(service, await workspaceOf(service, tenant));
      const self = {
        kind: 'workspace',
        name,
        what: 'What this workspace is, and how to enter it.',
        read: links.workspace(base, name),
        next: record.enter,
      };
      return body(self, { workspace: record, precedence });
    },
  );

  route(
    server,
    {
      post: '/api/workspace',
      id: 'createWorkspace',
      summary: 'Makes a workspace.',
      tag: 'workspaces',
      row: 'WORKSPACE_CREATE',
      query: shareOnly,
    },
    (context) => callRow(server, context, 'WORKSPACE_CREATE', context.args),
  );

  route(
    server,
    {
      patch: '/api/workspace/:name',
      id: 'setWorkspace',
      summary: 'Changes what a workspace says of itself, and whether it is open.',
      tag: 'workspaces',
      row: 'WORKSPACE_SET',
      fixed: ['name'],
      query: shareOnly,
    },
    (context) =>
      callRow(server, context, 'WORKSPACE_SET', { ...context.args, name: context.params['name'] ?? '' }),
  );

  route(
    server,
    {
      get: '/llms.txt',
      id: 'readLlmsText',
      summary: 'The site for readers that are models (llmstxt.org).',
      tag: 'discovery',
      caller: 'none',
      query: undefined,
      json: false,
      types: ['text/plain'],
      cache: 'public, max-age=60',
      etag: true,
    },
    () =>
      mediaReply(
        'text/plain; charset=utf-8',
        llmsText(base, precedence, server.service.policyFile !== undefined),
      ),
  );
}

function claimFault({ slug, claim }: Query): Fault | undefined {
  if (claim === undefined || slug !== undefined) return undefined;
  return invalidParameter('claim', 'A claim is one of an article.', 'Send slug beside claim.');
}

function actorRules(query: Query): readonly unknown[] {
  return [actorOf(query)];
}

function actorOf(query: Query): string | null | Fault {
  const actor = stringMember(query, 'actor', actorCharsMax);
  return isFault(actor) ? actor : actor === undefined || actor === '' ? null : actor;
}
