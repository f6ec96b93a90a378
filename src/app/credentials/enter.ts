/** Entering a workspace (spec §4.2, contract §7): a self-cut share for the open rows, or for a role that is open to everybody. */
import { roleNames, roles, type Role } from '../../domain/workspaces/roles.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { welcome, type Handed } from '../reads/entry.ts';
import type { Workspace } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { selfCut } from './self-cut.ts';

export interface Entering {
  readonly workspace: Workspace;
  readonly keys: readonly string[];
  readonly purpose: string;
  readonly actor: string | null;
  /** Those of the keys that are no public ones: the role opens them. */
  readonly also?: readonly string[];
}

/** A share that nobody had to ask for, with where to go with it. */
export async function enter(service: Service, entering: Entering): Promise<JsonObject | Fault> {
  const { workspace, keys, purpose, actor } = entering;
  const cut = await selfCut(service, { keys, purpose, actor, tenant: workspace.tenant, also: keys });
  return isFault(cut) ? cut : welcome(service, workspace, keys, cut as unknown as Handed);
}

/** A credential for a role that is open to everybody. */
export async function enterOpen(
  service: Service,
  workspace: Workspace,
  role: Role,
  actor: string | null,
): Promise<JsonObject | Fault> {
  const { name, status } = workspace.state;
  if (!roles[role].open || status !== 'open') return needsInvitation(role);
  const { keys } = roles[role];
  const entered = await enter(service, { workspace, keys, purpose: `${role} of ${name}`, actor });
  return isFault(entered) ? entered : { workspace: name, role, ...entered };
}

export function needsInvitation(role: Role): Fault {
  return fault(
    'scope_denied',
    `The role ${role} needs an invitation of the owner.`,
    'Ask the owner for one (CAP_MINT with role) and open this address with share=<TOKEN>, or enter an open workspace as observer or contributor.',
    { open_roles: roleNames.filter((each) => roles[each].open) },
  );
}
