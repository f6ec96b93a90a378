/**
 * One message to `/mcp` (contract §7), as everything behind its HTTP face sees it: what was presented, which workspace
 * was named, and who that makes the asker. Nothing is kept from one message to the next, so that any node answers any.
 */
import type { FastifyRequest } from 'fastify';
import type { Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import type { Fault } from '../../kernel/fault.ts';
import { directoryOf } from '../http/directory-routes.ts';
import type { Intake } from '../http/intake.ts';

/** The address of this door below the base. */
export const mcpPath = '/mcp';

export interface Exchange {
  /** With the rows of no workspace in particular. */
  readonly service: Service;
  readonly intake: Intake;
  readonly request: FastifyRequest;
  readonly presented: Presented;
  readonly workspace: string | undefined;
  /** Told of failures that the answer keeps to itself. */
  readonly onError: (error: unknown) => void;
}

/** Who asks, in which workspace, and the service with that workspace's rows. */
export type Asker = Exclude<Awaited<ReturnType<typeof directoryOf>>, Fault>;

/** Faults: those of credentials, and `not_found` for a workspace that the asker cannot enter. */
export function askerOf({ service, presented, workspace }: Exchange): Promise<Asker | Fault> {
  return directoryOf(service, workspace === undefined ? {} : { workspace }, presented);
}
