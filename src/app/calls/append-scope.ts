/**
 * Who may append a document to an article that stands (spec §4.4 voxel-batch, §5 rule 2): the tier `act` opens new
 * articles and no more, so every link of the credential must hold a scope that names the rows that write text.
 */
import { articleAt } from '../../domain/articles/state.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { covers, grantsOf } from '../../domain/capabilities/grants.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import type { Grant } from '../../domain/capabilities/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { slugOf } from '../credentials/authority.ts';
import type { PreparedCall } from './call.ts';

export function unscopedAppend(
  tx: Tx,
  call: PreparedCall,
  plan: Plan | Fault,
  credential: Credential,
): Fault | undefined {
  if (credential.kind !== 'share' || isFault(plan) || plan.do !== 'write-document') return undefined;
  const slug = slugOf(call.args);
  if (slug === undefined) return undefined;
  const writesText = ({ scope, keys, article }: Grant): boolean =>
    scope !== 'act' &&
    scope !== 'read' &&
    (article ?? slug) === slug &&
    (keys.includes('VOXEL_EDIT') || covers({ scope, keys }, call.row));
  const scoped = credential.chain.every(({ record }) => grantsOf(record).some(writesText));
  if (scoped || articleAt(tx, call.tenant, slug) === undefined) return undefined;
  const refusal = fault(
    'voxel_scope_required',
    `${slug} stands already, and the credential writes no text of articles that do.`,
    'Send a slug that is free, or ask for a credential with rows:VOXEL_BATCH or pfx:VOXEL_.',
  );
  return { ...refusal, gate: 'scope' };
}
