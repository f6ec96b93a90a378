/**
 * Resolves the workspace (tenant) of a call or read (contract §2, §7). A credential has one workspace. The owner and
 * anonymous callers name one, or address a slug of one; workspaces that anonymous callers may not see do not exist
 * for them. `main` needs no lookup.
 */
import { mainTenant, workspaceOfSlug } from '../../domain/articles/slugs.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { CapabilityRow } from '../../domain/capabilities/tables.ts';
import {
  type WorkspaceRow,
  everyWorkspace,
  mainState,
  workspaceTable,
} from '../../domain/workspaces/write-workspace.ts';
import { about, type Fault, fault } from '../../kernel/fault.ts';
import type { Reader } from '../../engine/store.ts';
import type { ReadContext } from '../read-context.ts';

export type Workspace = Pick<WorkspaceRow, 'tenant' | 'state'>;

/** How a caller addresses a workspace: by name or by an article's slug. */
export interface Addressed {
  readonly workspace?: string | undefined;
  readonly slug?: string | undefined;
}

/** A stamp of all workspaces. */
export function workspaceStamp({ read }: ReadContext): Promise<number> {
  return read.stamp(workspaceTable.aggregate as string, everyWorkspace);
}

/** `workspaceStamp`, where the store knows it without a query. */
export function workspaceStampNow({ read }: ReadContext): number | undefined {
  return read.stampNow(workspaceTable.aggregate as string, everyWorkspace);
}

interface Known {
  readonly stamp: number;
  readonly byName: ReadonlyMap<string, Workspace>;
  readonly byTenant: ReadonlyMap<string, Workspace>;
}

const known = new WeakMap<Reader, Known>();

/** All workspaces by name, `main` first. */
export async function workspacesOf(context: ReadContext): Promise<Known['byName']> {
  return (await knownBy(context)).byName;
}

/** Cached until a workspace changes on any node. */
async function knownBy(context: ReadContext): Promise<Known> {
  const { read } = context;
  const stamp = await workspaceStamp(context);
  const last = known.get(read);
  if (last?.stamp === stamp) return last;
  const rows = [...(await read.rows(workspaceTable, everyWorkspace)).values()];
  const all: Workspace[] = [
    { tenant: mainTenant, state: mainState },
    ...rows.sort((a, b) => (a.name < b.name ? -1 : 1)),
  ];
  const now = {
    stamp,
    // A row of main replaces its default.
    byName: new Map(all.map((each) => [each.state.name, each])),
    byTenant: new Map(all.map((each) => [each.tenant, each])),
  };
  known.set(read, now);
  return now;
}

/** The addressed workspace; undefined if it is missing or closed to the caller. */
export async function tenantOf(
  context: ReadContext,
  viewer: Credential,
  { workspace, slug }: Addressed,
): Promise<string | undefined> {
  if (viewer.kind === 'share') return ownTenant(context, viewer, workspace);
  const name = workspace ?? workspaceOfSlug(slug);
  if (name === mainTenant) return mainTenant;
  const found = (await workspacesOf(context)).get(name);
  const enters = viewer.kind === 'owner' || found?.state.status === 'open';
  return enters ? found?.tenant : undefined;
}

/** Self-cut shares are good for open workspaces only. */
async function ownTenant(
  context: ReadContext,
  { chain }: Extract<Credential, { kind: 'share' }>,
  workspace: string | undefined,
): Promise<string | undefined> {
  const { tenant, origin } = (chain[0] as CapabilityRow).record;
  if (tenant === mainTenant) return (workspace ?? mainTenant) === mainTenant ? tenant : undefined;
  if (workspace === undefined && origin === 'owner') return tenant;
  const { name, status } = (await workspaceOf(context, tenant)).state;
  return (workspace ?? name) === name && (origin === 'owner' || status === 'open') ? tenant : undefined;
}

/**
 * As `tenantOf`, with `main` for addresses of unknown workspaces, where the slug will not be found. Only a named
 * workspace is refused.
 */
export async function tenantOrMain(
  context: ReadContext,
  viewer: Credential,
  at: Addressed,
): Promise<string | Fault> {
  const tenant = await tenantOf(context, viewer, at);
  if (tenant !== undefined) return tenant;
  return at.workspace === undefined && viewer.kind !== 'share'
    ? mainTenant
    : noWorkspace(at.workspace ?? 'of this share');
}

/** The name of a workspace. Throws for an unknown tenant. */
export async function nameOfTenant(context: ReadContext, tenant: string): Promise<string> {
  return tenant === mainTenant ? mainTenant : (await workspaceOf(context, tenant)).state.name;
}

export async function workspaceOf(context: ReadContext, tenant: string): Promise<Workspace> {
  const found = (await knownBy(context)).byTenant.get(tenant);
  if (found === undefined) throw new Error(`there is no workspace ${tenant}`);
  return found;
}

/** Whether the caller may see a workspace: its own; any for the owner; open ones for anonymous callers. */
export async function isOpenTo(context: ReadContext, viewer: Credential, tenant: string): Promise<boolean> {
  if (viewer.kind === 'owner') return true;
  if (viewer.kind === 'share') return viewer.chain[0]?.record.tenant === tenant;
  return tenant === mainTenant || (await workspaceOf(context, tenant)).state.status === 'open';
}

/** The same answer for a workspace that is absent, closed, or not the caller's (contract §2). */
export function noWorkspace(name: string): Fault {
  return about(
    fault(
      'not_found',
      `There is no workspace ${name.slice(0, 60)} that you could enter.`,
      'Read /api/workspace for those that there are.',
    ),
    { kind: 'workspace', id: name },
  );
}
