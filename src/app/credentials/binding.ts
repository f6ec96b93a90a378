/**
 * The binding of a share to its assignment (contract §7), read from the store for doors and reads, and from the
 * transaction for the gates, so that an article published meanwhile is judged as published.
 */
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { CapabilityRow } from '../../domain/capabilities/tables.ts';
import { assignmentNamed, bindingOf, type Binding } from '../../domain/capabilities/binding.ts';
import { assignmentTable, begunTable, cohortPlace } from '../../domain/landscape/tables.ts';
import type { View } from '../../engine/act.ts';
import type { Store } from '../../engine/store.ts';
import type { Fault } from '../../kernel/fault.ts';

export async function readBinding(
  { read }: Pick<Store, 'read'>,
  chain: readonly CapabilityRow[],
): Promise<Binding | Fault | undefined> {
  const root = chain.at(-1)?.record;
  const id = root === undefined ? undefined : assignmentNamed(root);
  if (root === undefined || id === undefined) return undefined;
  const row = await read.row(assignmentTable, id);
  if (row === undefined) return bindingOf(root, undefined, undefined, undefined);
  const { tenant, cohort, item } = row.record;
  const found = await read.row(slugTable, slugPath(tenant, item.article));
  const article = found === undefined ? undefined : await read.row(articleTable, found.aid);
  const begun = await read.row(begunTable, cohortPlace(tenant, cohort), item.article);
  return bindingOf(root, row, article, begun?.aid);
}

export function bindingIn(tx: View, chain: readonly CapabilityRow[]): Binding | Fault | undefined {
  const root = chain.at(-1)?.record;
  const id = root === undefined ? undefined : assignmentNamed(root);
  if (root === undefined || id === undefined) return undefined;
  const row = tx.row(assignmentTable, id);
  if (row === undefined) return bindingOf(root, undefined, undefined, undefined);
  const { tenant, cohort, item } = row.record;
  const found = tx.row(slugTable, slugPath(tenant, item.article));
  const article = found === undefined ? undefined : tx.row(articleTable, found.aid);
  const begun = tx.row(begunTable, cohortPlace(tenant, cohort), item.article);
  return bindingOf(root, row, article, begun?.aid);
}
