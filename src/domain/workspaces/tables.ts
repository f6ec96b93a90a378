/**
 * Workspaces as a projection of their chains (contract §7). A workspace is a tenant: its opaque id is the `tenant` that
 * everything in it bears, in public entries too; its name is typed and therefore content. Seldom written and read
 * whole, so all of them are one aggregate.
 */
import { json, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { WorkspaceState } from '../../model/workspace.ts';

/** The one aggregate that holds them all. */
export const everyWorkspace = 'all';

export const workspaceTable = table('workspace', {
  key: { directory: text(), name: text() },
  columns: { tenant: text(), state: json<WorkspaceState>(), chain: text(), head: json<Head>() },
  aggregate: 'workspace',
});

export type WorkspaceRow = RowOf<typeof workspaceTable>;
