/**
 * Workspaces as a projection of their chains (contract §7). A workspace is a tenant: its opaque id is the `tenant` that
 * everything in it bears, in public entries too; its name is typed and therefore content. Seldom written and read
 * whole, so all of them are one aggregate.
 */
import { json, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';

/** `closed`: nothing in it is seen without a credential of it. */
export const workspaceStatuses = ['open', 'closed'] as const;
export type WorkspaceStatus = (typeof workspaceStatuses)[number];

/** What is said of a workspace. A type and not an interface, so that it counts as JSON. */
export type WorkspaceState = {
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
  readonly status: WorkspaceStatus;
};

/** The one aggregate that holds them all. */
export const everyWorkspace = 'all';

export const workspaceTable = table('workspace', {
  key: { directory: text(), name: text() },
  columns: { tenant: text(), state: json<WorkspaceState>(), chain: text(), head: json<Head>() },
  aggregate: 'workspace',
});

export type WorkspaceRow = RowOf<typeof workspaceTable>;
