/** The official client of the Model Context Protocol in front of a test's server, in each revision that it speaks. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Answer } from '../support/server.ts';
import { send, type HttpAnswer } from './client.ts';

export interface McpClient {
  readonly client: Client;
  /** Names of the tools, every page of them. */
  tools(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<McpResult>;
  close(): Promise<void>;
}

export interface McpResult {
  readonly isError: boolean;
  /** Structured content: what dispatch answers. */
  readonly answer: Answer;
  readonly texts: readonly string[];
}

export async function connect(
  base: string,
  headers: Readonly<Record<string, string>> = {},
  { revision = '2026-07-28', query = '' } = {},
): Promise<McpClient> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp${query}`), { requestInit: { headers } }),
  );
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      return {
        isError: result.isError === true,
        answer: result.structuredContent as Answer,
        texts: result.content.map((each) => (each.type === 'text' ? each.text : '')),
      };
    },
    close: () => client.close(),
  };
}

/** A message of the current revision as bytes on the wire; `params` beside what the revision wants. */
export function message(method: string, params: Readonly<Record<string, unknown>> = {}): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
        ...(params['_meta'] as object | undefined),
      },
    },
  };
}

/** The headers that such a message goes with. */
export function headersOf(method: string, name?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

export function sendMessage(
  base: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
  path = '/mcp',
): Promise<HttpAnswer> {
  const { method, params } = body as { method?: string; params?: { name?: string; uri?: string } };
  return send(base, {
    method: 'POST',
    path,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...headersOf(method ?? '', params?.name ?? params?.uri), ...headers },
  });
}
