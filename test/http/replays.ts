/** Law 1, at the end of a test file: whatever its calls left can be made again from the ledger. */
import { expect } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { checkProjections } from '../support/check-projections.ts';
import { owner, type LocalServer } from './local.ts';

export async function expectReplays(server: LocalServer): Promise<void> {
  const last = await server.call('CAP_EXPLAIN', 'cap_0000000000000000', {}, owner);
  const { id } = last.json['invocation'] as { id: string };
  // PostgreSQL integrates within a second; only what is integrated can be replayed.
  for (;;) {
    const { json } = await server.get({ confirm: id });
    if ((json['proof'] as { log_index: number | null }).log_index !== null) break;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  const { differences, entries } = await checkProjections(server.deployment.service.store.read, schema);
  expect(differences).toEqual([]);
  expect(entries).toBeGreaterThan(5);
}
