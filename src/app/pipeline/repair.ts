/**
 * `/api/protocol/repair` (contract §5): a caller with authority for CLAIM_REPAIR makes the claim's next version;
 * any other proposes it to the mirror. Which of the two is decided before a row is called.
 */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { checkArguments } from '../../domain/capabilities/arguments.ts';
import { judge } from '../../domain/capabilities/gates.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { authenticate, type Presented } from '../credentials/authenticate.ts';
import { tenantOf } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';

export interface RepairCall {
  readonly key: 'CLAIM_REPAIR' | 'MIRROR_APPEND';
  readonly args: JsonObject;
  /** A share that covers neither row proposes as an anonymous caller. */
  readonly presented: Presented;
}

export async function repairCall(
  service: Service,
  args: JsonObject,
  presented: Presented,
): Promise<RepairCall | Fault> {
  const repair = service.rows.get('CLAIM_REPAIR') as Row;
  const direct = { key: 'CLAIM_REPAIR', args, presented } as const;
  const credential = await authenticate(service, presented);
  if (isFault(credential)) return direct;
  const slug = typeof args['slug'] === 'string' ? args['slug'] : undefined;
  const tenant = (await tenantOf(service, credential, { slug })) ?? mainTenant;
  const covers = (row: Row, body: JsonObject): boolean => {
    const { refused } = judge({
      row,
      credential,
      tenant,
      slug: typeof body['slug'] === 'string' ? body['slug'] : undefined,
      body: canonicalJson(body),
      now: new Date(service.now()).toISOString(),
      bodyBytesMax: service.limits.dispatchBytesMax,
    });
    return refused === undefined || !isUncovered(refused);
  };
  if (covers(repair, args)) return direct;
  const checked = checkArguments(repair, args);
  if (isFault(checked)) return checked;
  const { claim_id, text, rationale, expected_hash, tier, actor } = checked as Readonly<
    Record<string, string>
  >;
  const proposal = {
    slug,
    claim_id,
    kind: 'repair',
    actor: actor === undefined || actor.trim() === '' ? 'anonymous' : actor,
    body: text,
    claim_hash: expected_hash,
    rationale,
    ...(tier === undefined ? {} : { tier }),
  } as JsonObject;
  const proposes = covers(service.rows.get('MIRROR_APPEND') as Row, proposal);
  return { key: 'MIRROR_APPEND', args: proposal, presented: proposes ? presented : {} };
}

/** Only missing authority turns into a proposal; expired or spent shares are refused. */
function isUncovered({ fault }: Fault): boolean {
  return fault === 'credential_required' || fault === 'scope_denied' || fault === 'owner_only';
}
