/** What a call without a credential is counted against, whatever door it comes through: its workspace and article. */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import { isFault } from '../../kernel/fault.ts';
import { seeArticle } from '../reads/articles.ts';
import { tenantOf } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import type { Call } from './call.ts';
import { addressedBy } from './tenant-of-call.ts';

export interface Counted {
  readonly tenant: string;
  /** The slug of an existing article, or nothing: made-up names must not fill anybody's counters. */
  readonly slug: string | undefined;
}

const anonymous = { kind: 'anonymous' } as const;

export async function articleOfCall(
  service: Service,
  call: Pick<Call, 'key' | 'body' | 'workspace'>,
): Promise<Counted | undefined> {
  const row = service.rows.get(call.key);
  if (row === undefined) return undefined;
  const tenant = (await tenantOf(service, anonymous, addressedBy(row, call))) ?? mainTenant;
  const nowhere = { tenant, slug: undefined };
  if (row.safe || row.auth !== 'none') return nowhere;
  const args = argumentsOf(row, call.body);
  if (isFault(args)) return nowhere;
  const slug = args['slug'] ?? args['target'];
  if (typeof slug !== 'string') return nowhere;
  const seen = await seeArticle(service, tenant, slug, anonymous);
  return isFault(seen) ? nowhere : { tenant, slug: seen.slug };
}
