/**
 * `POST /mcp` (contract §7): Model Context Protocol over streamable HTTP, without sessions. This file checks
 * origin, credential, rate limits and the shape of the message before the protocol is spoken. Refusals are JSON-RPC
 * errors with the problem of contract §2 as data.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { credentialParameter, privateCache, problem } from '../http/envelope.ts';
import { stringParam, workspace } from '../http/parameters.ts';
import { type OnError, Reply, retryAfterSeconds, sendJsonText, webReply } from '../http/replies.ts';
import { countFailedCredential, presentedBy, readQuery } from '../http/requests.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { statusOf } from '../http/statuses.ts';
import { faultOfFailure, faultOf, type BodyLimits } from '../http/transport-errors.ts';
import { callerOf, credentialInMeta, headersOnly, mcpPath, type McpRequest } from './exchange.ts';
import { isObject } from '../../kernel/json-value.ts';

export function mcpRoute(server: RouteServer, ceilings: BodyLimits, onError: OnError): void {
  const { base } = server.service;
  const reportOf =
    ({ id }: FastifyRequest) =>
    (error: unknown): void =>
      onError(error, mcpPath, id);
  route(
    server,
    {
      post: mcpPath,
      id: 'speakMcp',
      summary: 'Model Context Protocol over streamable HTTP; ?workspace= names another workspace than main.',
      tag: 'discovery',
      caller: 'optional',
      query: undefined,
      body: {
        jsonrpc: Type.Literal('2.0'),
        id: Type.Union([Type.String(), Type.Number()]),
        method: stringParam('such as tools/list or tools/call'),
        params: Type.Record(Type.String(), Type.Unknown()),
      },
      required: ['jsonrpc', 'method'],
      answers: ['JsonRpc'],
      types: ['text/event-stream'],
      // The protocol has its own order of checks and its own format of refusals.
      unvalidated: true,
      face: {
        send: (reply, request, refusal) => sendRpcError(reply, base, refusal, idOf(request.body)),
        faultOf: (error, request) => faultOf(error, ceilings) ?? faultOfFailure(error, reportOf(request)),
      },
    },
    async ({ request }) => {
      const message = await readMessage(server, request, reportOf(request));
      if (isFault(message)) return message;
      const { serve } = await import('./mcp-server.ts');
      return new Reply(async (_request, reply, options) => {
        const response = await serve(message.mcpRequest, webRequest(base, request, reply), message.body);
        return webReply(response).send(request, reply, options);
      });
    },
  );
}

interface Message {
  readonly mcpRequest: McpRequest;
  readonly body: JsonObject;
}

/** Reads one message of an authorized caller. */
async function readMessage(
  { service, requestLimits }: RouteServer,
  request: FastifyRequest,
  onError: (error: unknown) => void,
): Promise<Message | Fault> {
  const { body } = request;
  const misplaced = foreignOrigin(service.base, request) ?? credentialInAddress(request);
  if (misplaced !== undefined) return misplaced;
  const query = readQuery(request, { query: { workspace } });
  if (isFault(query)) return query;
  const presented = presentedBy(request);
  if (isFault(presented)) return countFailedCredential(presented, request, requestLimits);
  if (Array.isArray(body)) return noBatch;
  if (typeof body !== 'object' || body === null) return noMessage;
  const message = body as JsonObject;
  const wrong = messageFault(message);
  if (wrong !== undefined) return wrong;
  const mcpRequest = { service, requestLimits, request, presented, workspace: query['workspace'], onError };
  // Calls are counted and authorized by dispatch; everything else is a read.
  if (message['method'] !== 'tools/call') {
    const limited = requestLimits.read(request);
    if (limited !== undefined) return limited;
    const caller = await callerOf(mcpRequest);
    if (isFault(caller)) return countFailedCredential(caller, request, requestLimits);
  }
  return { mcpRequest, body: message };
}

/** Pages of other sites must not call a server on the same machine as the browser (DNS rebinding). */
function foreignOrigin(base: string, { headers }: FastifyRequest): Fault | undefined {
  const { origin } = headers;
  if (origin === undefined || origin === new URL(base).origin) return undefined;
  return fault(
    'scope_denied',
    'Pages of other sites may not call this address.',
    'Call it from a program, or from a page of this site.',
  );
}

function credentialInAddress({ query }: FastifyRequest): Fault | undefined {
  const name = Object.keys(query as object).find((each) => credentialParameter.test(each));
  return name === undefined ? undefined : headersOnly(name);
}

function messageFault({ method, params }: JsonObject): Fault | undefined {
  // Nothing here sends notifications.
  if (method === 'subscriptions/listen')
    return fault(
      'not_implemented',
      'There is nothing to subscribe to here.',
      'Ask again for a list when it is needed.',
    );
  const meta = isObject(params) ? params['_meta'] : undefined;
  const credential = isObject(meta) ? credentialInMeta(meta) : undefined;
  if (credential !== undefined) return credential;
  if (method === 'initialize') return initializeFault(params);
  const names = isObject(params) && typeof params['uri'] === 'string';
  return method === 'resources/read' && !names ? noUri : undefined;
}

/** The server package would report an internal error. */
const noUri = invalidParameter(
  'uri',
  'resources/read names no resource: "uri" is no string.',
  'Send params {"uri":"…"} with an address out of resources/list.',
);

/** Validates `initialize`; the server package would report an internal error. */
function initializeFault(params: JsonValue | undefined): Fault | undefined {
  const { protocolVersion, capabilities, clientInfo } = isObject(params) ? params : {};
  const isNamed =
    isObject(clientInfo) && ['name', 'version'].every((name) => typeof clientInfo[name] === 'string');
  const missing = [
    ...(typeof protocolVersion === 'string' ? [] : ['protocolVersion']),
    ...(isObject(capabilities) ? [] : ['capabilities']),
    ...(isNamed ? [] : ['clientInfo with name and version']),
  ];
  if (missing.length === 0) return undefined;
  return fault(
    'invalid_request',
    `initialize lacks ${missing.join(', ')}, or has it in another shape.`,
    'Send params {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"…","version":"…"}}.',
  );
}

const noBatch = fault(
  'invalid_request',
  'A batch of messages is not taken.',
  'Send each message as a request of its own.',
);
const noMessage = fault(
  'invalid_request',
  'The request holds no message.',
  'Send one JSON-RPC 2.0 object with Content-Type: application/json.',
);

/** The headers that the protocol reads; credentials are not passed on. */
const protocolHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
];

/** The request for the server package; aborts when the client disconnects. */
function webRequest(base: string, { headers }: FastifyRequest, { raw }: FastifyReply): Request {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  const kept = protocolHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Request(base + mcpPath, { method: 'POST', headers: kept, signal: gone.signal });
}

/** The id of the message, or null. */
function idOf(body: unknown): string | number | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const jsonRpcCodes: Readonly<Partial<Record<Fault['fault'], number>>> = {
  invalid_json: -32_700,
  invalid_request: -32_600,
  internal: -32_603,
  not_implemented: -32_601,
};

function sendRpcError(
  reply: FastifyReply,
  base: string,
  refusal: Fault,
  id: string | number | null,
): FastifyReply {
  const data = problem(refusal, base, mcpPath);
  const status = statusOf[refusal.fault];
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="colophon"');
  const retryAfter = retryAfterSeconds(refusal);
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  void reply.header('cache-control', privateCache);
  const code = jsonRpcCodes[refusal.fault] ?? -32_000;
  const message = `${String(data['detail'])} ${String(data['fix'])}`;
  return sendJsonText(reply, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }), status);
}
