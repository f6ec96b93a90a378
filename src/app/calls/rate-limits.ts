/**
 * Rate limits of open calls (contract §4): calls without a credential, and calls under a share that its holder cut
 * without asking the owner. Dispatch charges each of them here before it runs, whatever door it came through: calls
 * that a door hands in, calls made from a receipt, router tags and operations of a batch. A call is charged to the
 * client's address and to the article that its parsed arguments name, so no spelling of a call makes it cheaper.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import { seeArticle } from '../reads/articles.ts';
import type { Service } from '../service.ts';
import type { CallMeter, NestedCharges, NestedSource } from './call.ts';

/** Who calls, and where; without a meter nothing is limited. */
export interface Metered {
  readonly meter: CallMeter | undefined;
  readonly credential: Credential | Fault;
  readonly tenant: string;
}

/** A credential that nobody had to ask for must not buy a flood that its address may not send without one. */
function isOpenCredential(credential: Credential | Fault): boolean {
  if (isFault(credential)) return false;
  if (credential.kind === 'anonymous') return true;
  return credential.kind === 'share' && credential.chain.at(-1)?.record.origin === 'self';
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

/** Charges one call with the arguments that it runs with; a call that cannot run has none and is the client's alone. */
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

/** The slug of an existing article: made-up names must not fill the table of article limits. */
async function articleIn(
  service: Service,
  tenant: string,
  args: JsonObject | Fault,
  credential: Credential,
): Promise<string | undefined> {
  // `slug/c2` is a part of the article.
  const slug = slugOf(args)?.split('/', 1)[0];
  const found = slug === undefined ? undefined : await seeArticle(service, tenant, slug, credential);
  return found === undefined || isFault(found) ? undefined : found.slug;
}

/** Charges the router tags or operations that a plan will run, each to the article that it names itself. */
export async function chargeNested(
  service: Service,
  by: Metered,
  nested: readonly { readonly source: NestedSource; readonly row: Row | undefined; readonly body: string }[],
): Promise<NestedCharges> {
  const charges = new Map<NestedSource, Fault | 'charged'>();
  for (const { source, row, body } of nested) {
    const args = row === undefined ? {} : argumentsOf(row, body, service.limits);
    charges.set(source, (await chargeCall(service, by, row, args)) ?? 'charged');
  }
  return charges;
}

/** Why a nested call must not run: a limit is spent, or the call was not charged. */
export function refusedNested(
  { meter, credential, charges }: Metered & { readonly charges?: NestedCharges | undefined },
  source: NestedSource,
): Fault | undefined {
  if (meter === undefined || !isOpenCredential(credential)) return undefined;
  const charge = charges?.get(source);
  if (charge === 'charged') return undefined;
  return (
    charge ??
    fault(
      'conflict',
      'The authority of the call changed while it was under way.',
      'Send the same call again.',
    )
  );
}
