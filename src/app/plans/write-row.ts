/** The plan `write-row`: makes or changes a row of the workspace's directory. */
import { directoryTable } from '../../domain/directory/tables.ts';
import type { RowBefore, RowWritten } from '../../domain/directory/write-row.ts';
import type { Context } from '../../domain/context.ts';
import { writes } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'write-row': {
      readonly key: string;
      decide(before: RowBefore, context: Context): RowWritten | Fault;
    };
  }
}

export const writeRowPlan = definePlan({
  kind: 'write-row',
  keys: ({ call }) => [writes('directory', call.tenant)],
  run({ service, tx, call, plan, context }) {
    const stored = tx.row(directoryTable, call.tenant, plan.key);
    const written = plan.decide({ stored, running: service.rows.get(plan.key) }, context);
    if (isFault(written)) return written;
    for (const event of written.events) tx.append(event);
    return written.result;
  },
});
