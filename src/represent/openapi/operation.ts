/**
 * One operation of the HTTP interface as its route declares it (contract §7): what it takes, who may call it and what
 * it answers. Handlers read their parameters by it and `/api/openapi.json` is written from it.
 */
import type { TSchema } from 'typebox';

export type Taken = Readonly<Record<string, TSchema>>;

/** What the operations are grouped by. */
export const tags = {
  articles: 'Articles and their parts: free reads, and open intake below them.',
  protocol: 'Writes: each is the call of one row, and leaves a receipt.',
  capabilities: 'Dispatch, the directory of rows, credentials and receipts.',
  workspaces: 'Ways in, workspaces and their roles.',
  graph: 'Search, graph and query over what articles hold.',
  landscape: 'Cohorts of targets, assignments and proven work.',
  log: 'The public log: checkpoint, tiles and the key that signs.',
  discovery: 'Descriptions of the service for programs, and its state.',
  pages: 'Pages for people, readable without JavaScript.',
} as const;

/**
 * Which credential the operation reads: `none` ignores credentials, `optional` accepts one and shows what it opens,
 * `holder` requires one, `owner` requires the owner's, `console` requires a signed-in owner's session.
 */
export type Caller = 'none' | 'optional' | 'holder' | 'owner' | 'console';

export interface Operation {
  /** Its operationId: camelCase, unique. */
  readonly id: string;
  readonly summary: string;
  readonly tag: keyof typeof tags;
  /** The address it is documented at, where that is not the route's own: one route may serve several. */
  readonly at?: string;
  /** By default the callers of its row. */
  readonly caller?: Caller;
  /** Every parameter of the query; `undefined` where the query is not looked at. */
  readonly query?: Taken | undefined;
  /** Those of them that have to be given. */
  readonly needed?: readonly string[];
  /** What is wrong with the parameters beside what `query` says of each, as far as they can be read. */
  readonly rules?: (query: Readonly<Record<string, string>>) => readonly unknown[];
  /** Other parameters are passed over instead of refused. */
  readonly lenient?: true;
  /** The row that it calls, whose arguments are the body's members; or one row for each `action` of the body. */
  readonly row?: string | Readonly<Record<string, string>>;
  /** Rows whose results its answers hold, where those are others than `row`. */
  readonly results?: readonly string[];
  /** Arguments of the row that the address says. */
  readonly fixed?: readonly string[];
  /** Arguments of the row that may be left out here. */
  readonly optional?: readonly string[];
  /** Members of the body that are no arguments of the row; the body itself where there is no row. */
  readonly body?: Taken;
  /** Members of `body` that have to be there. */
  readonly required?: readonly string[];
  /** The body is a form that a page sends. */
  readonly form?: true;
  /** Whether the body may have undeclared members. */
  readonly open?: true;
  readonly headers?: Taken;
  /** Every answer is made anew: none bears an ETag. */
  readonly fresh?: true;
  /** Names of the schemas (`/api/schemas`, `model/answers.ts`) that a JSON answer has one of; by default what a call answers. */
  readonly answers?: readonly string[];
  /** Names of the schemas of JSON in other media types. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Media types of other answers; the only ones where `json` is false. */
  readonly types?: readonly string[];
  readonly json?: false;
  /** The path names nothing, and what it serves may not exist: answered with 404. */
  readonly mayBeMissing?: true;
  /** The body is text of any media type; what it holds. */
  readonly textBody?: string;
  /** Refusals that are text where a foreign protocol has them so: the media type of each status. */
  readonly textRefusals?: Readonly<Record<number, string>>;
}
