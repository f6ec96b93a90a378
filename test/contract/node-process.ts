/** A node in a process of its own: it writes for ever and prints the chain of every act that was acknowledged. */
import { writes } from '../../src/engine/act.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { opaqueId } from '../../src/kernel/ids.ts';
import { openPostgres } from '../../src/store/postgres/store.ts';
import { sign } from '../support/stores.ts';
import { act, append, tallySchema, tallyTable } from './tally.ts';

const url = process.argv[2] as string;
const store = await openPostgres({ url, schema: tallySchema, sign, sequencer: { leaseMs: 1000 } });

await Promise.all(
  Array.from({ length: 16 }, async (_, i) => {
    for (;;) {
      const chain = opaqueId('proc-');
      const shared = `shared-${i % 3}`;
      const ended = await store.run(
        act([writes('tally', chain), writes('tally', shared)], (tx) => {
          append(tx, chain, { value: 1 });
          append(tx, shared, { value: (tx.row(tallyTable, shared)?.value ?? 0) + 1 });
        }),
      );
      if (!isFault(ended)) process.stdout.write(`${chain}\n`);
    }
  }),
);
