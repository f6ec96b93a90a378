/**
 * The types that the files of `/mcp` share (contract §7): one message with its credential and workspace, the caller
 * that it comes from, a tool, and a page of a list. No state is kept between messages, so that any node answers any.
 */
import type { FastifyRequest } from 'fastify';
import type { Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import { directoryOf } from '../http/directory-routes.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** The path of MCP below the base URL. */
export const mcpPath = '/mcp';

export interface McpRequest {
  /** With the rows of no particular workspace. */
  readonly service: Service;
  readonly requestLimits: RequestLimits;
  readonly request: FastifyRequest;
  readonly presented: Presented;
  readonly workspace: string | undefined;
  /** Reports errors that the answer hides. */
  readonly onError: (error: unknown) => void;
}

/** The caller, its workspace, and the service with that workspace's rows. */
export type McpCaller = Exclude<Awaited<ReturnType<typeof directoryOf>>, Fault>;

/** Faults: those of credentials, and `not_found` for a workspace that the caller cannot enter. */
export function callerOf({ service, presented, workspace }: McpRequest): Promise<McpCaller | Fault> {
  return directoryOf(service, workspace === undefined ? {} : { workspace }, presented);
}

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly outputSchema?: JsonObject & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export const invalidCursor = fault(
  'invalid_request',
  'The cursor is not one of ours.',
  'Send nextCursor as it was given.',
  { parameter: 'cursor' },
);
