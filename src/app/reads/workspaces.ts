/**
 * Workspaces as tenants (contract §2, §7): which of them a call or a read is in. A credential is in its own and in no
 * other. The owner and whoever has no credential say which one, by name or by the slug they address; what the latter
 * may not see does not exist. For `main` nothing is read.
 */
import { mainTenant, workspaceOfSlug } from '../../domain/articles/slugs.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { CapabilityRow } from '../../domain/capabilities/tables.ts';
import { everyWorkspace, workspaceTable, type WorkspaceRow } from '../../domain/workspaces/tables.ts';
import { mainState } from '../../domain/workspaces/write-workspace.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Reader } from '../../engine/store.ts';
import type { ReadContext } from '../read-context.ts';

export type Workspace = Pick<WorkspaceRow, 'tenant' | 'state'>;

/** How a caller says where: by the name of a workspace, or by an article's slug. */
export interface Addressed {
  readonly workspace?: string | undefined;
  readonly slug?: string | undefined;
}

/** Changes with every workspace that is made or changed. */
export function workspaceStamp({ read }: ReadContext): Promise<number> {
  return read.stamp(workspaceTable.aggregate as string, everyWorkspace);
}

interface Known {
  readonly stamp: number;
  readonly byName: ReadonlyMap<string, Workspace>;
  readonly byTenant: ReadonlyMap<string, Workspace>;
}

const known = new WeakMap<Reader, Known>();

/** Every workspace by its name, in the order of names, `main` first. */
export async function workspacesOf(context: ReadContext): Promise<Known['byName']> {
  return (await knownBy(context)).byName;
}

/** Read again when one was made or changed, on whichever node. */
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
    // What was said of main stands where main stood.
    byName: new Map(all.map((each) => [each.state.name, each])),
    byTenant: new Map(all.map((each) => [each.tenant, each])),
  };
  known.set(read, now);
  return now;
}

/** The workspace that the caller addresses, or nothing: it is absent, closed to the caller, or not the caller's. */
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

/** A share that its holder cut without being asked in is good for what is open, and for no longer. */
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
 * The same for what names no workspace of its own: an address that leads nowhere is looked for in `main`, which has no
 * slug with a double hyphen. Only a workspace that is named can be the one that is missing.
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

/** What a workspace is called; a tenant without one is not there any more than a name without a tenant. */
export async function nameOfTenant(context: ReadContext, tenant: string): Promise<string> {
  return tenant === mainTenant ? mainTenant : (await workspaceOf(context, tenant)).state.name;
}

export async function workspaceOf(context: ReadContext, tenant: string): Promise<Workspace> {
  const found = (await knownBy(context)).byTenant.get(tenant);
  if (found === undefined) throw new Error(`there is no workspace ${tenant}`);
  return found;
}

/** Whether the caller is told of what belongs to a workspace: its own, any for the owner, open ones for nobody in particular. */
export async function isOpenTo(context: ReadContext, viewer: Credential, tenant: string): Promise<boolean> {
  if (viewer.kind === 'owner') return true;
  if (viewer.kind === 'share') return viewer.chain[0]?.record.tenant === tenant;
  return tenant === mainTenant || (await workspaceOf(context, tenant)).state.status === 'open';
}

/** What anyone is told of a workspace that is absent, closed, or not theirs: the same (contract §2). */
export function noWorkspace(name: string): Fault {
  return fault(
    'not_found',
    `There is no workspace ${name.slice(0, 60)} that you could enter.`,
    'Read /api/workspace for those that there are.',
  );
}
