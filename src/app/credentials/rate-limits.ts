/**
 * Rate limits of open calls (contract §4): anonymous calls and calls under self-cut shares. Dispatch charges each of
 * them before it runs, whichever way it came: doors, replays, router tags and operations of a batch. A call is
 * charged to the client address and to the article in its parsed arguments, so the spelling of a call does not
 * matter.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { authorizeArticle } from '../reads/article-access.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';
import { slugOf } from './authority.ts';

/** Counts the calls of one client. A fault means that a limit is spent; then nothing was counted. */
export interface CallMeter {
  /** Whether the client may make another call, without counting one. */
  spent(tenant: string): Fault | undefined;
  /** A call that may write: charged to the client within the workspace, and to the article with this slug. */
  write(tenant: string, article: string | undefined): Fault | undefined;
  read(): Fault | undefined;
}

/** The caller of a charged call; without a meter nothing is limited. */
export interface Metered {
  readonly meter: CallMeter | undefined;
  readonly credential: Credential | Fault;
  readonly tenant: string;
}

/** A self-cut credential has the limits of its client address. */
function isOpenCredential(credential: Credential | Fault): boolean {
  if (isFault(credential)) return false;
  if (credential.kind === 'anonymous') return true;
  return credential.kind === 'share' && credential.chain.at(-1)?.record.origin === 'self';
}

/** Whether calls of this caller are charged at all. */
export function isLimited({ meter, credential }: Metered): boolean {
  return meter !== undefined && isOpenCredential(credential);
}

/** Refuses a client whose limit is spent before any work is done for it. */
export function spentLimit({ meter, credential, tenant }: Metered, row?: Row): Fault | undefined {
  if (!isOpenCredential(credential) || isSafeWithShare(credential, row)) return undefined;
  return meter?.spent(tenant);
}

/** Reads under an open share have the limit of reads; without a credential every dispatch counts as a write. */
function isSafeWithShare(credential: Credential | Fault, row?: Row): boolean {
  return !isFault(credential) && credential.kind === 'share' && row?.safe === true;
}

/** Charges one call with its arguments; a call without valid arguments is charged to the client only. */
export async function chargeCall(
  service: Service,
  { meter, credential, tenant }: Metered,
  row?: Row,
  args: JsonObject | Fault = {},
): Promise<Fault | undefined> {
  if (meter === undefined || isFault(credential) || !isOpenCredential(credential)) return undefined;
  if (isSafeWithShare(credential, row)) return meter.read();
  const article = row?.safe === true ? undefined : await articleIn(service, tenant, args, credential);
  return meter.write(tenant, article);
}

/** The slug of an existing article, so that invented names do not fill the table of article limits. */
async function articleIn(
  service: Service,
  tenant: string,
  args: JsonObject | Fault,
  credential: Credential,
): Promise<string | undefined> {
  const slug = slugOf(args);
  const found =
    slug === undefined ? undefined : await authorizeArticle({ ...service, tenant, viewer: credential }, slug);
  return found === undefined || isFault(found) ? undefined : found.slug;
}
