/**
 * What an effect cannot do in this deployment is found out before anything is charged or begun (contract §3 "a refused
 * call costs nothing"): the plan becomes the refusal, which the act tells when the gates have let the caller through.
 * It may take work, such as hashing a module: nothing is looked at for a caller whom the gates refuse as they stand now.
 */
import { isFault } from '../../kernel/fault.ts';
import { judgeCall } from '../credentials/authority.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';

export async function checkEffect(service: Service, call: PreparedCall): Promise<PreparedCall> {
  const { plan } = call;
  if (isFault(plan) || plan.do !== 'effect' || plan.check === undefined) return call;
  if (judgeCall(call).refused !== undefined) return call;
  const refusal = await plan.check(service.outside);
  return refusal === undefined ? call : { ...call, plan: refusal };
}
