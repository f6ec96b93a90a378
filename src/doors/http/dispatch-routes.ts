/** `/api/dispatch`, `/api/directory` and `/api/invocations` (spec §4.1, contract §3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../app/calls/answer.ts';
import { proofJson } from '../../app/reads/proof.ts';
import { authenticate, authenticateReader } from '../../app/credentials/authenticate.ts';
import { articleOfCall } from '../../app/calls/article-of-call.ts';
import type { Call } from '../../app/calls/call.ts';
import { withRows } from '../../app/calls/current-rows.ts';
import { listInvocations, registry } from '../../app/reads/directory.ts';
import { dispatch, dispatchAgain } from '../../app/calls/dispatch.ts';
import { writesIn } from '../../app/calls/thread-update.ts';
import { explain } from '../../app/credentials/explain.ts';
import { askQuestion, buildMap, mapMarkdown, systemArticle } from '../../app/reads/protocol-map.ts';
import { protocolTree } from '../../app/calls/questions.ts';
import { confirmationOf, receiptOf, yieldOf } from '../../app/reads/receipts.ts';
import { selfCut } from '../../app/credentials/self-cut.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import type { Again } from '../../domain/capabilities/row.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { contractOf } from './directory-routes.ts';
import { invocationSchema } from '../../represent/invocation-schema.ts';
import type { Intake } from './intake.ts';
import { body, privateCache, selfOf, sendJson, sendJsonText, sendProblem } from './envelope.ts';
import {
  countCredential,
  idempotencyKeyOf,
  isCredentialed,
  isPrefetch,
  presentedBy,
  readable,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
  type Query,
} from './requests.ts';

/** The first of these that a GET names is what it does. */
const actions = [
  'invoke',
  'key',
  'confirm',
  'receipt',
  'explain',
  'self_scope',
  'map',
  'registry',
  'ask',
  'schema',
  'build',
];
const parameters = [
  ...actions,
  'body',
  'share',
  'n',
  'format',
  'keys',
  'purpose',
  'actor',
  'narrow',
  'limit',
  'cursor',
  'shape',
];
/** Display metadata is recorded with every call, so it has the bounds that rows give it (CAP_MINT). */
const actorCharsMax = 200;
const purposeCharsMax = 500;
const postMembers = new Set([
  'key',
  'body',
  'share',
  'idem',
  'shape',
  'replay',
  'repairs',
  'actor',
  'purpose',
]);

export function dispatchRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.post('/api/dispatch', async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const unknown = Object.keys(object).find((name) => !postMembers.has(name));
    if (unknown !== undefined) {
      return sendProblem(
        reply,
        request,
        base,
        fault(
          'invalid_request',
          `"${unknown.slice(0, 60)}" is no member of a dispatch call.`,
          `Use only: ${[...postMembers].join(', ')}.`,
          { parameter: unknown.slice(0, 60) },
        ),
      );
    }
    const again = againOf(object);
    if (isFault(again)) return sendProblem(reply, request, base, again);
    const key = object['key'] ?? (again === undefined ? undefined : '');
    const given = object['body'] ?? '';
    if (
      typeof key !== 'string' ||
      (typeof given !== 'string' && (typeof given !== 'object' || given === null || Array.isArray(given)))
    ) {
      return sendProblem(
        reply,
        request,
        base,
        fault(
          'invalid_request',
          'A dispatch call has a string key, and a body that is a string or an object.',
          'Send {"key":"MIRROR_FEED","body":"slug|20"}.',
          { parameter: typeof key !== 'string' ? 'key' : 'body' },
        ),
      );
    }
    const query = readQuery(request, ['share']);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const members = readMembers(object);
    if (isFault(members)) return sendProblem(reply, request, base, members);
    const presented = presentedBy(request, members.share);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const text = typeof given === 'string' ? given : canonicalJson(given);
    const limited = isCredentialed(presented)
      ? undefined
      : intake.open(
          request,
          intake.counts(request) ? await articleOfCall(service, key, text) : undefined,
          writesIn(key, text),
        );
    if (limited !== undefined) return sendProblem(reply, request, base, limited);
    const call: Call = {
      key,
      body: text,
      presented,
      tenant: mainTenant,
      method: 'POST',
      idempotencyKey: named(members.idem ?? idempotencyKeyOf(request)),
      shape: members.shape,
      actorName: named(members.actor),
      purpose: named(members.purpose),
      channel: 'http',
      client: intake.address(request),
    };
    const answer = await (again === undefined
      ? dispatch(service, call)
      : dispatchAgain(service, call, again));
    return sendAnswer(reply, request, service, answer, intake);
  });

  app.get('/api/dispatch', async (request, reply) => {
    const query = readQuery(request, parameters);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    if (isCredentialed(presented)) void reply.header('referrer-policy', 'no-referrer');
    void reply.header('cache-control', privateCache);
    const action = actions.find((each) => query[each] !== undefined);
    if (action === undefined) {
      if (Object.keys(query).some((name) => name !== 'soft' && name !== 'self' && name !== 'format')) {
        return sendProblem(
          reply,
          request,
          base,
          fault('invalid_request', 'The parameters name no action.', `Add one of ${actions.join(', ')}.`, {
            known: actions,
          }),
        );
      }
      return sendJson(reply, manifest(await withRows(service, mainTenant)));
    }
    if (action === 'invoke') {
      const said = readSaid(query);
      if (isFault(said)) return sendProblem(reply, request, base, said);
      const limited = isCredentialed(presented) ? undefined : intake.open(request, undefined);
      if (limited !== undefined) return sendProblem(reply, request, base, limited);
      const answer = await dispatch(service, {
        key: query['invoke'] as string,
        body: query['body'] ?? '',
        presented,
        tenant: mainTenant,
        method: 'GET',
        n: query['n'],
        shape: said.shape || isPrefetch(request),
        actorName: named(said.actor),
        purpose: named(said.purpose),
        channel: 'http',
        client: intake.address(request),
      });
      return sendAnswer(reply, request, service, answer, intake);
    }
    if (action === 'self_scope') return cutShare(request, reply, service, intake, query, presented);
    const read = await readAction(service, action, query, presented);
    if (isFault(read)) return sendProblem(reply, request, base, countCredential(read, request, intake));
    if (typeof read === 'string')
      return reply.header('content-type', 'text/markdown; charset=utf-8').send(read);
    return sendJson(reply, read);
  });

  // A HEAD asks about a resource; it never fires one.
  app.head('/api/dispatch', async (_request, reply) =>
    reply.code(204).header('cache-control', privateCache).send(),
  );

  app.get('/api/invocations', readable, async (request, reply) => {
    const query = readQuery(request, ['object_id', 'status', 'limit', 'cursor', 'share']);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const credential = await authenticateReader(service, presented);
    if (isFault(credential))
      return sendProblem(reply, request, base, countCredential(credential, request, intake));
    const limit = wholeNumber(query, 'limit', 50, 500);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    const list = await listInvocations(await withRows(service, mainTenant), mainTenant, credential, {
      key: query['object_id'],
      status: query['status'],
      limit,
      cursor: query['cursor'],
    });
    if (isFault(list)) return sendProblem(reply, request, base, list);
    void reply.header('cache-control', privateCache);
    return sendJson(
      reply,
      body({ kind: 'list', name: 'invocations', what: 'Invocations of a row, newest first.' }, list),
    );
  });
}

/** What a POST says of an earlier receipt: replay it whole, or repair it with this key and body. */
function againOf(object: JsonObject): Again | undefined | Fault {
  const replay = stringMember(object, 'replay', 40);
  if (isFault(replay)) return replay;
  const repairs = stringMember(object, 'repairs', 40);
  if (isFault(repairs)) return repairs;
  const { key, body: given } = object;
  if (replay === undefined) {
    if (repairs === undefined) return undefined;
    return {
      repairs,
      ...(typeof key === 'string' ? { key } : {}),
      ...(given === undefined ? {} : { body: typeof given === 'string' ? given : canonicalJson(given) }),
    };
  }
  if (repairs === undefined && key === undefined && given === undefined) return { replay };
  return fault(
    'invalid_request',
    'A replay has the recorded key and body, and nothing else beside it.',
    'Send replay alone, or repairs with a corrected body.',
    { parameter: 'replay' },
  );
}

/** `self_scope=1`: a share for the open rows without any key; with `narrow=1`, one cut from the share that is sent. */
async function cutShare(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  intake: Intake,
  query: Query,
  presented: Parameters<typeof authenticate>[1],
): Promise<FastifyReply> {
  const { base } = service;
  const said = readSaid(query);
  if (isFault(said)) return sendProblem(reply, request, base, said);
  const limited = intake.start(request);
  if (limited !== undefined) return sendProblem(reply, request, base, limited);
  if (query['self_scope'] !== '1' || isPrefetch(request)) {
    const wrong = fault('invalid_request', 'self_scope says nothing but 1.', 'Send self_scope=1.', {
      parameter: 'self_scope',
    });
    return sendProblem(reply, request, base, wrong);
  }
  const keys = query['keys']
    ?.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (query['narrow'] === undefined || query['narrow'] === '0') {
    const cut = await selfCut(service, {
      keys,
      purpose: said.purpose ?? '',
      actor: named(said.actor) ?? null,
      tenant: mainTenant,
    });
    if (isFault(cut)) return sendProblem(reply, request, base, cut);
    const self = {
      kind: 'capability',
      name: String(cut['fingerprint']),
      what: 'A self-cut share for open rows, shown once; it enters the ledger with its first use.',
      read: String(cut['explain_url']),
      next: cut['next'] as string[],
    };
    return sendJson(reply, body(self, cut));
  }
  if (presented.share === undefined) {
    const missing = fault('credential_required', 'There is no share to cut from.', 'Add share=<TOKEN>.');
    return sendProblem(reply, request, base, missing);
  }
  const answer = await dispatch(service, {
    key: 'CAP_MINT',
    body: canonicalJson({
      ...(keys === undefined ? {} : { scope: 'rows', keys }),
      ...(said.purpose === undefined ? {} : { purpose: said.purpose }),
      ...(said.actor === undefined ? {} : { actor: said.actor }),
    }),
    presented,
    tenant: mainTenant,
    method: 'GET',
    n: query['n'],
    channel: 'http',
    client: intake.address(request),
  });
  return sendAnswer(reply, request, service, answer, intake);
}

function named(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

interface Said {
  readonly actor: string | undefined;
  readonly purpose: string | undefined;
  /** A dry run. */
  readonly shape: boolean;
}

/** What a call says beside its key and body. A dry run that was meant and mistyped must not fire. */
function readSaid(from: JsonObject): Said | Fault {
  const actor = stringMember(from, 'actor', actorCharsMax);
  if (isFault(actor)) return actor;
  const purpose = stringMember(from, 'purpose', purposeCharsMax);
  if (isFault(purpose)) return purpose;
  const shape = from['shape'] ?? false;
  if (shape === true || shape === '1' || shape === 'true') return { actor, purpose, shape: true };
  if (shape === false || shape === '0' || shape === 'false') return { actor, purpose, shape: false };
  return fault(
    'invalid_request',
    '"shape" says neither yes nor no.',
    'Send shape as true (in a URL: 1) for a dry run, or leave it out.',
    { parameter: 'shape' },
  );
}

function readMembers(
  object: JsonObject,
): (Said & { readonly share: string | undefined; readonly idem: string | undefined }) | Fault {
  const share = stringMember(object, 'share');
  if (isFault(share)) return share;
  const idem = stringMember(object, 'idem');
  if (isFault(idem)) return idem;
  const said = readSaid(object);
  return isFault(said) ? said : { ...said, share, idem };
}

async function readAction(
  service: Service,
  action: string,
  query: Query,
  presented: Parameters<typeof authenticate>[1],
): Promise<JsonObject | string | Fault> {
  const { base } = service;
  const current = await withRows(service, mainTenant);
  switch (action) {
    case 'key':
      return contractOf(service, query['key'] as string, query['format']);
    case 'confirm': {
      const confirmation = await confirmationOf(service, query['confirm'] as string);
      if (isFault(confirmation)) return confirmation;
      return body(
        {
          kind: 'confirmation',
          name: String(confirmation['id']),
          what: 'Public proof that an invocation happened.',
          next: [links.receipt(base, String(confirmation['id']))],
        },
        confirmation,
      );
    }
    case 'receipt': {
      const credential = await authenticateReader(service, presented);
      if (isFault(credential)) return credential;
      const receipt = await receiptOf(service, credential, query['receipt'] as string);
      if (isFault(receipt)) return receipt;
      return body(
        {
          kind: 'receipt',
          name: String(receipt['id']),
          what: 'The recorded request and response of one invocation, with its proof.',
          next: [links.confirm(base, String(receipt['id']))],
        },
        receipt,
      );
    }
    case 'explain': {
      const credential = await authenticate(service, presented);
      if (isFault(credential)) return credential;
      if (credential.kind !== 'share')
        return fault('credential_required', 'There is no share to explain.', 'Add share=<TOKEN>.');
      const [own] = credential.chain;
      if (own === undefined) throw new Error('a share without a record was authenticated');
      return body(
        { kind: 'capability', name: credential.fingerprint, what: 'What this share may do, and its trail.' },
        await explain(current, own),
      );
    }
    case 'map':
      return mapOf(current, query['map'] as string, query['format']);
    case 'ask': {
      const question = (query['ask'] as string).trim();
      if (question === '')
        return fault('invalid_request', 'The question is empty.', 'Ask in plain words.', {
          parameter: 'ask',
        });
      return body(
        {
          kind: 'answer',
          name: 'ask',
          what: 'Rows that fit a question, best first.',
          next: [`${base}/api/dispatch?map=1`],
        },
        askQuestion(current, question),
      );
    }
    case 'schema':
      if (query['schema'] !== 'invocation')
        return fault('not_found', 'There is no such schema.', 'Use schema=invocation.', {
          schemas: ['invocation'],
        });
      return body(
        { kind: 'schema', name: 'invocation', what: 'The JSON Schema of a receipt.' },
        { schema: invocationSchema(base) },
      );
    case 'build': {
      const credential = await authenticateReader(service, presented);
      if (isFault(credential)) return credential;
      if (credential.kind !== 'owner')
        return fault('owner_only', "The build map is the owner's.", 'Send the x-terminal-key header.');
      return body({ kind: 'build', name: 'build', what: 'The whole build as one map.' }, buildMap(current));
    }
    case 'registry':
      return body(
        { kind: 'registry', name: 'directory', what: 'Every capability, self-describing.' },
        registry(current),
      );
    default:
      return fault('not_implemented', `${action} is not built yet.`, 'Read the registry for what runs.');
  }
}

/** The protocol tree, or one system of it; as JSON or Markdown. */
function mapOf(service: Service, name: string, format: string | undefined): JsonObject | string | Fault {
  if (format !== undefined && format !== 'json' && format !== 'markdown')
    return fault('invalid_request', `"${format.slice(0, 40)}" is no format.`, 'Use json or markdown.', {
      parameter: 'format',
    });
  const map = name === '1' ? protocolTree(service) : systemArticle(service, name);
  if (isFault(map)) return map;
  if (format === 'markdown') return mapMarkdown(map);
  return name === '1'
    ? body({ kind: 'map', name: 'protocol', what: 'Every system of the protocol and its rows.' }, map)
    : body(
        { kind: 'system', name: name.toLowerCase(), what: 'One system of the protocol and its rows.' },
        map,
      );
}

function manifest(service: Service): JsonObject {
  const { base } = service;
  const dispatchUrl = links.dispatch(base);
  return body(
    {
      kind: 'manifest',
      name: 'dispatch',
      what: 'One endpoint invokes every capability; each call leaves a receipt.',
      write: dispatchUrl,
      next: [`${dispatchUrl}?registry=1`, `${dispatchUrl}?map=1`],
    },
    {
      actions,
      rows: [...service.rows.keys()],
      not_implemented: [...service.planned],
      templates: [
        `${dispatchUrl}?invoke={key}&body={body}&share={token}`,
        `${dispatchUrl}?key={key}`,
        `${dispatchUrl}?confirm={inv}`,
        `${dispatchUrl}?receipt={inv}&share={token}`,
        `${dispatchUrl}?explain=1&share={token}`,
      ],
    },
  );
}

/** The answer of contract §3, whether it came about now or before. */
export function sendAnswer(
  reply: FastifyReply,
  request: FastifyRequest,
  service: Service,
  answer: Answer | Fault,
  intake: Intake,
): FastifyReply {
  void reply.header('cache-control', privateCache);
  const { base } = service;
  if (isFault(answer)) return sendProblem(reply, request, base, countCredential(answer, request, intake));
  if (answer.kind === 'shape') {
    return sendJson(
      reply,
      body(
        {
          kind: 'shape',
          name: String(answer.shape['key']),
          what: 'A dry run: nothing fired, nothing charged.',
        },
        answer.shape,
      ),
    );
  }
  const { key, inv, status, ran, result, proof, charged } = answer;
  const before: JsonObject = {
    ran,
    kind: key,
    result: result === undefined ? null : result.result,
    result_text: result?.text ?? answer.refusal?.message ?? '',
    ...result?.reveal,
    invocation: { id: inv, key, status, url: links.receipt(base, inv), duration_ms: answer.durationMs },
    receipt: { id: inv, url: proof.receipt, confirm: proof.confirm },
  };
  const after: JsonObject = {
    yield: yieldOf(result?.material ?? []),
    affordances: [proof.receipt, proof.confirm, links.contract(base, key)],
    ...(answer.repeated ? { idempotent_replay: true } : {}),
  };
  if (answer.refusal !== undefined) {
    const members = { ...before, proof, ...after, charged, repair: links.contract(base, 'OIP_REPAIR') };
    return sendProblem(reply, request, base, countCredential(answer.refusal, request, intake), members);
  }
  const self = {
    kind: 'invocation',
    name: inv,
    what: `${key} is on the ledger as ${status}.`,
    read: proof.receipt,
    next: [proof.confirm],
  };
  const head = JSON.stringify({ ok: true, ...before });
  const tail = JSON.stringify({ ...after, _self: selfOf(self) });
  return sendJsonText(
    reply,
    `${head.slice(0, -1)},"proof":${proofJson(proof)},${tail.slice(1)}`,
    ran ? 200 : 202,
  );
}
