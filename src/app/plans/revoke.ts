/** The plan `revoke`: ends a share or key, for the owner, the holder of an ancestor, or the token itself (contract §3). */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { about, fault, isFault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { Revoked } from '../../model/capability.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    revoke: { readonly fingerprint: string };
  }
}

export const revokePlan = definePlan({
  kind: 'revoke',
  run({ tx, plan: { fingerprint }, credential, context }) {
    const row = tx.row(capabilityTable, fingerprint);
    if (row === undefined || !holds(tx, fingerprint, credential)) {
      return about(
        fault(
          'not_found',
          `There is no capability ${fingerprint} that you could revoke.`,
          'Revoke your own share, or one that was cut from it.',
        ),
        { kind: 'capability', id: fingerprint },
      );
    }
    const event = revokeEvent(row, context);
    if (isFault(event)) return event;
    const appended = tx.append(event);
    return {
      result: exactly(Revoked, { fingerprint, state: 'revoked', revoked_at: appended.sealed.entry.ts }),
      text: `Revoked ${fingerprint} and everything cut from it.`,
      material: [],
    };
  },
});

function holds(tx: Tx, fingerprint: string, credential: Credential): boolean {
  if (credential.kind === 'owner') return true;
  if (credential.kind === 'anonymous') return false;
  for (
    let next: string | null = fingerprint;
    next !== null;
    next = tx.row(capabilityTable, next)?.record.parent ?? null
  ) {
    if (next === credential.fingerprint) return true;
  }
  return false;
}
