/**
 * Rows that the owner made or changed, as a projection of their chains (spec §2.6, contract §3). One aggregate a
 * workspace: a directory is read whole, and seldom written.
 */
import { integer, json, table, text, type RowOf } from '../../engine/tables.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Authority, Contract, Risk } from '../capabilities/row.ts';

export const argumentTypes = ['string', 'integer', 'number', 'boolean'] as const;

/** One argument of an owner's row. Types and not interfaces below, so that they count as JSON. */
export type RowArgument = {
  readonly name: string;
  readonly description: string;
  readonly type: (typeof argumentTypes)[number];
  readonly required: boolean;
  /** Takes the rest of a positional body, pipes and all; the last argument only. */
  readonly rest: boolean;
};

/** A request whose address the owner fixed: arguments fill its path, query and body, never scheme, host or headers. */
export type HttpTarget = {
  readonly type: 'http';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Values may hold `{secret:NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON whose strings may hold `$N`; null for none. */
  readonly body: JsonObject | null;
};

/** A function in a file of the configured folder, pinned by the hash of its bytes. */
export type FnTarget = { readonly type: 'fn'; readonly module: string; readonly sha256: string };

export type RowDefinition = {
  readonly target: HttpTarget | FnTarget;
  readonly args: readonly RowArgument[];
  readonly category: string;
  readonly auth: Authority;
  readonly risk: Risk;
  readonly requires_approval: boolean;
  /** Milliseconds. */
  readonly timeout_ms: number;
  /** JSON Schema of what its target answers; rows that were made before it was asked for have none. */
  readonly output_schema?: JsonObject;
};

/** A contract as it is stored. */
export type ContractText = { readonly [Part in keyof Contract]: Contract[Part] };

/** A row as one version of it stands. */
export type RowState = {
  readonly key: string;
  readonly version: number;
  readonly contract: ContractText;
  readonly enabled: boolean;
  /** False: invocations are recorded as commitments only. */
  readonly ledger_enabled: boolean;
  /** True: a credential is needed even where the row would need none. */
  readonly authority_required: boolean;
  /** Null where a built-in row was changed. */
  readonly definition: RowDefinition | null;
};

export const directoryTable = table('directory_row', {
  key: { tenant: text(), key: text() },
  columns: { state: json<RowState>(), chain: text(), head: json<Head>() },
  aggregate: 'directory',
});

/** Every version there was; `path` is `tenant/KEY`. */
export const rowVersionTable = table('row_version', {
  key: { path: text(), version: integer() },
  columns: { state: json<RowState>(), actor: text(), ts: text(), inv: text() },
});

export const directoryTables = [directoryTable, rowVersionTable];
export type DirectoryRow = RowOf<typeof directoryTable>;

export function rowPath(tenant: string, key: string): string {
  return `${tenant}/${key}`;
}
