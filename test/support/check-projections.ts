/** `rebuild --check` over a reader: every projection as it stands, compared with what the ledger gives. */
import type { Schema } from '../../src/engine/act.ts';
import * as engine from '../../src/engine/check-projections.ts';
import type { Reader } from '../../src/engine/store.ts';
import { openReplay } from '../../src/store/sqlite/scratch.ts';

export function checkProjections(
  read: Pick<Reader, 'entries' | 'scan'>,
  schema: Schema,
): Promise<engine.ReplayReport> {
  return engine.checkProjections(read, schema, openReplay(schema), () => undefined);
}
