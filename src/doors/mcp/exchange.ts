/**
 * The types that the files of `/mcp` share (contract §7): one message with its credential and workspace, the caller
 * that it comes from, a tool, and a page of a list. No state is kept between messages, so that any node answers any.
 */
import type { FastifyRequest } from 'fastify';
import type { Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import { fault, type Fault, invalidParameter } from '../../kernel/fault.ts';
import { directoryOf } from '../http/directory-routes.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { credentialParameter } from '../http/envelope.ts';

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
  readonly annotations: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export const invalidCursor = invalidParameter(
  'cursor',
  'The cursor is not one of ours.',
  'Send nextCursor as it was given.',
);

/*
 * Credentials are accepted in request headers only (contract §7), because logs, transcripts and models keep URLs
 * and messages. Misplaced ones are refused before anything else.
 */

const ownToken = /\b(?:sh\.[A-Za-z0-9_-]{20,}|[ct]k_[A-Za-z0-9_-]{8,})/;

/** `own`: arguments of the row with such a name; CAP_EXPLAIN takes a token. */
export function misplacedCredential(given: JsonObject, own: readonly string[]): Fault | undefined {
  const name = Object.keys(given).find((each) => credentialParameter.test(each) && !own.includes(each));
  return name === undefined ? undefined : headersOnly(name);
}

/** Refuses tokens in the metadata of a message. */
export function credentialInMeta(meta: JsonObject): Fault | undefined {
  return (
    misplacedCredential(meta, []) ?? (ownToken.test(JSON.stringify(meta)) ? headersOnly('_meta') : undefined)
  );
}

export function headersOnly(name: string): Fault {
  return fault(
    'invalid_request',
    `"${name.slice(0, 60)}" is no place for a credential.`,
    'Send it as the header Authorization: Bearer <TOKEN>, or the terminal key as x-terminal-key.',
    { parameter: name.slice(0, 60) },
  );
}
