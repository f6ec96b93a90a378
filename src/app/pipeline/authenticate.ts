/**
 * Who calls, in which workspace, and which row of it. The workspace of a call (contract §2) is the credential's own; for
 * the owner and for callers without a credential the one that is named, or that of the addressed article. Arguments are
 * parsed for that only if they can name one.
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
import type { Call, PlacedCall } from '../plans/call.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { tenantOrMain, type Addressed } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';

/** A caller; without `row` there is no row of that key. */
export interface Caller {
  /** The service with the rows of the workspace. */
  readonly service: Service;
  readonly call: PlacedCall;
  readonly row: Row | undefined;
  readonly credential: Credential | Fault;
  readonly metered: Metered;
}

/** A Fault where a limit is spent or the workspace is not there for the caller. */
export async function authenticateCall(deployed: Service, given: Call): Promise<Caller | Fault> {
  const credential = await authenticate(deployed, given.presented);
  const tenant = isFault(credential) ? mainTenant : await resolveTenant(deployed, given, credential);
  const metered = { meter: given.meter, credential, tenant: isFault(tenant) ? mainTenant : tenant };
  if (isFault(tenant)) return (await chargeCall(deployed, metered)) ?? tenant;
  const service = await withWorkspaceRows(deployed, tenant);
  const row = service.rows.get(given.key);
  return spentLimit(metered, row) ?? { service, call: { ...given, tenant }, row, credential, metered };
}

async function resolveTenant(service: Service, call: Call, credential: Credential): Promise<string | Fault> {
  if (call.tenant !== undefined) return call.tenant;
  const row = service.rows.get(call.key);
  const { workspace } = call;
  // A slug tells a credential nothing: it looks in its own workspace.
  const isSaid = row !== undefined && (credential.kind !== 'share' || namesWorkspace(row));
  return tenantOrMain(service, credential, isSaid ? addressedBy(row, call) : { workspace });
}

/** A slug of another workspace than main, wherever it stands. */
const prefixed = /[a-z0-9]--[a-z0-9]/;

function namesWorkspace(row: Row): boolean {
  return row.argNames.includes('workspace');
}

/** What a body says of where it is meant for; what stands beside it goes before. */
function addressedBy(row: Row, { workspace, body }: Pick<Call, 'workspace' | 'body'>): Addressed {
  if (!namesWorkspace(row) && !prefixed.test(body)) return { workspace };
  const args = argumentsOf(row, body);
  if (isFault(args)) return { workspace };
  const named = args['workspace'];
  return {
    workspace: workspace ?? (typeof named === 'string' ? named : undefined),
    slug: addressedSlug(args),
  };
}

/** The article that is called for; of a batch without one, that of its first operation. */
function addressedSlug(args: JsonObject): string | undefined {
  const [first] = Array.isArray(args['operations']) ? (args['operations'] as readonly JsonObject[]) : [];
  // A cohort of another workspace has an address like a slug.
  return slugOf(args) ?? slugOf(first ?? {}) ?? slugOf({ slug: args['cohort'] ?? null });
}
