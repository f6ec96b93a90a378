/**
 * The official server package, put together anew for each message (contract §7): it speaks the protocol in its
 * revisions, and everything that it is asked for is answered by the application. Loaded when the first message comes.
 */
import { protocolVersion } from '../../model/protocol.ts';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { precedence } from '../../app/reads/entry.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { problem } from '../http/envelope.ts';
import { failureOf } from '../http/transport-errors.ts';
import { addressOf } from './addresses.ts';
import { bodyOf, callRow, refused, type ToolResult } from './calls.ts';
import { misplacedCredential } from './credentials.ts';
import { askerOf, mcpPath, type Asker, type Exchange } from './exchange.ts';
import { callMetaTool } from './call-meta-tool.ts';
import { readAddress } from './read.ts';
import { contentsOf, listResources, resourceTemplates } from './resources.ts';
import { listTools } from './row-tools.ts';

const instructions = `Colophon is an article ledger and capability dispatch: claims with hash-chained sources, divided text, and a receipt for every call. Tools in upper case are rows of its directory; search, read and dispatch work with all of it. A receipt proves an act; a description does not: ran:false or isError means that nothing was done. ${precedence}`;

/** Answers one message, which was parsed before. */
export function serve(exchange: Exchange, message: Request, parsedBody: unknown): Promise<Response> {
  return createMcpHandler(() => serverFor(exchange)).fetch(message, { parsedBody });
}

function serverFor(exchange: Exchange): Server {
  // Not the package's `McpServer`: a row checks its arguments itself, so that a wrong call has its receipt.
  const server = new Server(
    { name: 'colophon', title: 'Colophon', version: protocolVersion, websiteUrl: exchange.service.base },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    answered(exchange, async (asker) => {
      const { items, ...more } = orThrow(exchange, listTools(asker, params?.cursor));
      return { tools: [...items], ...more };
    }),
  );
  server.setRequestHandler('tools/call', async ({ params }) =>
    callTool(exchange, params.name, (params.arguments ?? {}) as JsonObject),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    answered(exchange, async (asker) => {
      const { items, ...more } = orThrow(exchange, await listResources(asker, params?.cursor));
      return { resources: [...items], ...more };
    }),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resourceTemplates(exchange.service.base),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answered(exchange, async (asker) => {
      const address = orThrow(exchange, addressOf(exchange.service.base, uri));
      return { contents: [contentsOf(orThrow(exchange, await readAddress(asker, address)), uri)] };
    }),
  );
  return server;
}

/** A tool of no row, or the row of that name: one that there is not is answered as dispatch answers it. */
async function callTool(exchange: Exchange, name: string, args: JsonObject): Promise<ToolResult> {
  const { service } = exchange;
  try {
    const called = callMetaTool(exchange, name, args);
    if (called !== undefined) return await called;
    const own = service.rows.get(name)?.argNames ?? [];
    const misplaced = misplacedCredential(args, own);
    if (misplaced !== undefined) return refused(service.base, misplaced);
    return await callRow(exchange, { key: name, body: bodyOf(args) });
  } catch (error) {
    return refused(service.base, failureOf(error, exchange.onError));
  }
}

async function answered<T>(exchange: Exchange, answer: (asker: Asker) => Promise<T>): Promise<T> {
  try {
    return await answer(orThrow(exchange, await askerOf(exchange)));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return orThrow<never>(exchange, failureOf(error, exchange.onError));
  }
}

/** A refusal as the error of a request, with the whole problem as its data. */
function orThrow<T>({ service }: Exchange, value: T | Fault): T {
  if (!isFault(value)) return value;
  const code = value.fault === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(code, `${value.message} ${value.fix}`, problem(value, service.base, mcpPath));
}
