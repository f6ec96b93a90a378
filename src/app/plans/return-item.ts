/** The plan `return-item`: gives a lease back and revokes the share of its work (contract §7). */
import { holdsLease } from '../../domain/capabilities/credential.ts';
import { revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { returnAssignment } from '../../domain/landscape/return.ts';
import { assignmentTable, cohortPlace, itemTable } from '../../domain/landscape/tables.ts';
import { links } from '../../domain/links.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { exactly } from '../../model/exact.ts';
import { Returned } from '../../model/landscape.ts';
import { noAssignment } from '../reads/landscape.ts';
import { contextOf } from './call.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'return-item': { readonly assignment: string };
  }
}

export const returnItemPlan = definePlan({
  kind: 'return-item',
  async keys({ service, call, plan }) {
    const row = await service.store.read.row(assignmentTable, plan.assignment);
    if (row === undefined || row.record.tenant !== call.tenant) return [];
    const { id, tenant, cohort, holder, capability_fingerprint: share } = row.record;
    return [
      writes('assignment', id),
      writes('cohort', cohortPlace(tenant, cohort)),
      writes('assignment_held', holder),
      writes('capability', share),
    ];
  },
  run({ service, tx, call, plan, credential, context }) {
    const row = tx.row(assignmentTable, plan.assignment);
    if (row === undefined || row.record.tenant !== call.tenant) return noAssignment(plan.assignment);
    const { id, tenant, cohort, lane, item, capability_fingerprint: share } = row.record;
    const lease = tx.row(itemTable, cohortPlace(tenant, cohort), item.n)?.lanes[lane];
    const event = returnAssignment(
      row,
      { isHeld: holdsLease(row.record, credential), isCurrent: lease?.assignment === id },
      context,
    );
    if (isFault(event)) return event;
    const returned = tx.append(event);
    const capability = tx.row(capabilityTable, share);
    const revoked = capability === undefined ? undefined : revokeEvent(capability, context);
    // A share that the owner revoked before is revoked already.
    if (revoked !== undefined && !isFault(revoked)) tx.append(revoked);
    const url = links.assignment(service.base, id);
    return {
      result: exactly(Returned, {
        assignment_id: id,
        status: 'returned',
        returned_at: returned.sealed.entry.ts,
        url,
      }),
      text: `${id} is returned: ${item.target.name} is free in the lane ${lane} again, and ${share} is revoked.`,
      material: [{ kind: 'assignment', id, url }],
    };
  },
  async dryRun({ service, call, plan }) {
    const { read } = service.store;
    const row = await read.row(assignmentTable, plan.assignment);
    if (row === undefined || row.record.tenant !== call.tenant)
      return { refusal: noAssignment(plan.assignment) };
    const { id, tenant, cohort, lane, item } = row.record;
    const queued = await read.row(itemTable, cohortPlace(tenant, cohort), item.n);
    const event = returnAssignment(
      row,
      {
        isHeld: holdsLease(row.record, call.credential),
        isCurrent: queued?.lanes[lane]?.assignment === id,
      },
      contextOf(service, call, call.credential),
    );
    return isFault(event) ? { refusal: event } : {};
  },
});
