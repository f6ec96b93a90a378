/**
 * What anybody may do is counted (contract §4): calls without a credential, and calls with a share that nobody had to
 * ask for. A share that costs nothing must not buy a flood what its address may not do without one.
 */
import type { FastifyRequest } from 'fastify';
import { articleOfCall, type Counted } from '../../app/calls/article-of-call.ts';
import { findCapability, type Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Intake } from './intake.ts';
import { isCredentialed } from './requests.ts';

export interface OpenCall {
  readonly key: string;
  readonly body: string;
  readonly workspace?: string | undefined;
  /** How many writes the call stands for. */
  readonly writes?: number;
  /** It can write nothing without a credential, so that an article is not charged for it. */
  readonly isGet?: boolean;
}

/** Counts a call that needs nobody's leave; a fault says that there were too many of them. */
export async function countOpen(
  service: Service,
  intake: Intake,
  request: FastifyRequest,
  presented: Presented,
  call: OpenCall,
): Promise<Fault | undefined> {
  if (!intake.counts(request)) return undefined;
  const credentialed = isCredentialed(presented);
  if (credentialed && !(await isFree(service, presented))) return undefined;
  if (credentialed && service.rows.get(call.key)?.safe === true) return intake.read(request);
  const counted = await articleOfCall(service, call);
  const writesNothing = call.isGet === true && !credentialed;
  return intake.open(request, writesNothing ? nowhereIn(counted) : counted, call.writes);
}

function nowhereIn(counted: Counted | undefined): Counted | undefined {
  return counted === undefined ? undefined : { ...counted, slug: undefined };
}

/** Whether a share, or what it was cut from, was handed to whoever asked. */
async function isFree(service: Service, { local, terminal, share }: Presented): Promise<boolean> {
  if (local === true || terminal !== undefined || share === undefined) return false;
  return (await findCapability(service, fingerprintOf(share)))?.record.origin === 'self';
}
