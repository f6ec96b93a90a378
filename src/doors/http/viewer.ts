/** Who reads: one way for every free read to take a credential, count the call, and keep the answer private. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { tenantOrMain } from '../../app/reads/workspaces.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { privateCache } from './envelope.ts';
import type { Intake } from './intake.ts';
import { countCredential, isCredentialed, presentedBy, type Query } from './requests.ts';

/** The tenant that a list is of: the credential's, the one named, or that of the first article it names. */
export function placeOf(
  service: Service,
  viewer: Credential,
  query: Query,
  slugs?: string,
): Promise<string | Fault> {
  return tenantOrMain(service, viewer, { workspace: query['workspace'], slug: slugs?.split(',')[0]?.trim() });
}

/** The address of a list as it was asked for: one of a named workspace is read there. */
export function readAt(url: string, { workspace }: Query): string {
  return workspace === undefined ? url : `${url}?workspace=${encodeURIComponent(workspace)}`;
}

/** The credential of a caller who presents one, or `anonymous`; one that is none is counted. */
export async function readerOf(
  service: Service,
  request: FastifyRequest,
  intake: Intake,
): Promise<Credential | Fault> {
  const presented = presentedBy(request);
  if (isFault(presented)) return presented;
  const credential = await authenticateReader(service, presented);
  return isFault(credential) ? countCredential(credential, request, intake) : credential;
}

/**
 * The caller's credential, or `anonymous`. What is answered to a credential is for its holder alone: the reply
 * has its `cache-control` then. Read the query first. Faults: `rate_limited`, and those of credentials.
 */
export async function viewerOf(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  intake: Intake,
): Promise<Credential | Fault> {
  const limited = intake.read(request);
  if (limited !== undefined) return limited;
  const presented = presentedBy(request);
  if (isFault(presented)) return presented;
  if (!isCredentialed(presented)) return { kind: 'anonymous' };
  void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
  const credential = await authenticateReader(service, presented);
  return isFault(credential) ? (intake.badCredential(request) ?? credential) : credential;
}
