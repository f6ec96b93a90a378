/**
 * The official MCP server package, instantiated for each message (contract §7): it implements the protocol, and the
 * application answers. Loaded with the first message.
 */
import { protocolVersion } from '../../model/vocabulary.ts';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { precedence } from '../../app/reads/entry.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { problem } from '../http/envelope.ts';
import { faultOfFailure } from '../http/transport-errors.ts';
import { addressOf, readAddress } from './read-address.ts';
import { bodyOf, callRow, refusedResult, type ToolResult } from './call-row.ts';
import {
  callerOf,
  invalidCursor,
  type McpCaller,
  mcpPath,
  type McpRequest,
  misplacedCredential,
} from './exchange.ts';
import { callMetaTool } from './meta-tools.ts';
import { listTools } from './tool-list.ts';
import { contentsOf, listResources, resourceTemplates } from './resources.ts';

const instructions = `Colophon is an article ledger and capability dispatch: claims with hash-chained sources, text divided into DIVs (blocks), and a receipt for every call. Tools in upper case are rows of its directory, in a short form; describe tells one whole. slug names an article, actor and model are names to be shown. search finds articles and tools, read reads anything without a receipt. A receipt proves an act; a description does not: ran:false or isError means that nothing was done. ${precedence}`;

/** Answers one parsed message. */
export function serve(mcpRequest: McpRequest, message: Request, parsedBody: unknown): Promise<Response> {
  return createMcpHandler(() => serverFor(mcpRequest)).fetch(message, { parsedBody });
}

function serverFor(mcpRequest: McpRequest): Server {
  // Not the package's `McpServer`, which validates arguments itself: a wrong call must reach the row and leave a
  // receipt.
  const server = new Server(
    { name: 'colophon', title: 'Colophon', version: protocolVersion, websiteUrl: mcpRequest.service.base },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    answered(mcpRequest, async (caller) => {
      // The list has one page.
      if (params?.cursor !== undefined) return orThrow<never>(mcpRequest, invalidCursor);
      return { tools: [...listTools(caller)] };
    }),
  );
  server.setRequestHandler('tools/call', async ({ params }) =>
    callTool(mcpRequest, params.name, (params.arguments ?? {}) as JsonObject),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    answered(mcpRequest, async (caller) => {
      const { items, ...more } = orThrow(mcpRequest, await listResources(caller, params?.cursor));
      return { resources: [...items], ...more };
    }),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resourceTemplates(mcpRequest.service.base),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answered(mcpRequest, async (caller) => {
      const address = orThrow(mcpRequest, addressOf(mcpRequest.service.base, uri));
      return { contents: [contentsOf(orThrow(mcpRequest, await readAddress(caller, address)), uri)] };
    }),
  );
  return server;
}

/** Calls a meta tool, or the row of that name; an unknown name is answered by dispatch. */
async function callTool(mcpRequest: McpRequest, name: string, args: JsonObject): Promise<ToolResult> {
  const { service } = mcpRequest;
  try {
    const called = callMetaTool(mcpRequest, name, args);
    if (called !== undefined) return await called;
    const own = service.rows.get(name)?.argNames ?? [];
    const misplaced = misplacedCredential(args, own);
    if (misplaced !== undefined) return refusedResult(service.base, misplaced);
    return await callRow(mcpRequest, { key: name, body: bodyOf(args) });
  } catch (error) {
    return refusedResult(service.base, faultOfFailure(error, mcpRequest.onError));
  }
}

async function answered<T>(mcpRequest: McpRequest, answer: (caller: McpCaller) => Promise<T>): Promise<T> {
  try {
    return await answer(orThrow(mcpRequest, await callerOf(mcpRequest)));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return orThrow<never>(mcpRequest, faultOfFailure(error, mcpRequest.onError));
  }
}

/** Throws a refusal as a protocol error with the problem as its data. */
function orThrow<T>({ service }: McpRequest, value: T | Fault): T {
  if (!isFault(value)) return value;
  const code = value.fault === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(code, `${value.message} ${value.fix}`, problem(value, service.base, mcpPath));
}
