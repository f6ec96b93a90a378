/**
 * Which workspace a call is in (contract §2): the credential's own; for the owner and for nobody, the one that is named,
 * or the one that the article they address belongs to. Arguments are looked at only where they can say something.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import { tenantOrMain, type Addressed } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import type { Call } from './call.ts';

export async function tenantOfCall(
  service: Service,
  call: Call,
  credential: Credential,
): Promise<string | Fault> {
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
export function addressedBy(row: Row, { workspace, body }: Pick<Call, 'workspace' | 'body'>): Addressed {
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
