/**
 * Resolves the caller, the workspace and the row of a call. A credential belongs to one workspace (contract §2); the
 * owner and anonymous callers name one, or address an article of one. Arguments are parsed for that only if they can
 * name a workspace.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { authenticate } from '../credentials/authenticate.ts';
import { slugOf } from '../credentials/authority.ts';
import { chargeCall, spentLimit, type Metered } from '../credentials/rate-limits.ts';
import { withBody, type Call, type PlacedCall } from '../plans/call.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { tenantOrMain, type Addressed } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';

/** Without `row`, no row has that key. */
export interface Caller {
  /** The service with the rows of the workspace. */
  readonly service: Service;
  readonly call: PlacedCall;
  readonly row: Row | undefined;
  readonly credential: Credential | Fault;
  readonly metered: Metered;
}

/** A Fault if a limit is spent or the caller may not use the workspace. */
export async function authenticateCall(deployed: Service, given: Call): Promise<Caller | Fault> {
  const credential = await authenticate(deployed, given.presented);
  const tenant = isFault(credential) ? mainTenant : await resolveTenant(deployed, given, credential);
  const metered = { meter: given.meter, credential, tenant: isFault(tenant) ? mainTenant : tenant };
  if (isFault(tenant)) return (await chargeCall(deployed, metered)) ?? tenant;
  const service = await withWorkspaceRows(deployed, tenant);
  const row = service.rows.get(given.key);
  const call = withBody(row, { ...given, tenant });
  return spentLimit(metered, row) ?? { service, call, row, credential, metered };
}

async function resolveTenant(service: Service, call: Call, credential: Credential): Promise<string | Fault> {
  if (call.tenant !== undefined) return call.tenant;
  const row = service.rows.get(call.key);
  const { workspace } = call;
  // A credential works in its own workspace, whatever slug it names.
  const isSaid = row !== undefined && (credential.kind !== 'share' || namesWorkspace(row));
  return tenantOrMain(service, credential, isSaid ? addressedBy(row, withBody(row, call)) : { workspace });
}

/** A slug of a workspace other than main. */
const prefixed = /[a-z0-9]--[a-z0-9]/;

function namesWorkspace(row: Row): boolean {
  return row.argNames.includes('workspace');
}

/** The workspace that a body names; a parameter beside the body has precedence. */
function addressedBy(row: Row, { workspace, body, bodyRule }: Call): Addressed {
  if (!namesWorkspace(row) && !prefixed.test(body)) return { workspace };
  const args = argumentsOf(row, body, undefined, bodyRule);
  if (isFault(args)) return { workspace };
  const named = args['workspace'];
  return {
    workspace: workspace ?? (typeof named === 'string' ? named : undefined),
    slug: addressedSlug(args),
  };
}

/** The article of the call; for a batch without one, that of its first operation. */
function addressedSlug(args: JsonObject): string | undefined {
  const [first] = Array.isArray(args['operations']) ? (args['operations'] as readonly JsonObject[]) : [];
  // Cohorts of other workspaces are addressed like slugs.
  return slugOf(args) ?? slugOf(first ?? {}) ?? slugOf({ slug: args['cohort'] ?? null });
}
