/** The plan `write-workspace`: makes or changes a workspace. */
import type { Context } from '../../domain/context.ts';
import {
  type WorkspaceRow,
  type WorkspaceWrite,
  everyWorkspace,
  workspaceTable,
} from '../../domain/workspaces/write-workspace.ts';
import { writes } from '../../engine/act.ts';
import { type Fault, isFault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'write-workspace': {
      readonly name: string;
      decide(before: WorkspaceRow | undefined, context: Context): WorkspaceWrite | Fault;
    };
  }
}

export const writeWorkspacePlan = definePlan({
  kind: 'write-workspace',
  keys: () => [writes('workspace', everyWorkspace)],
  run({ tx, plan, context }) {
    const written = plan.decide(tx.row(workspaceTable, everyWorkspace, plan.name), context);
    if (isFault(written)) return written;
    tx.append(written.event);
    return written.result;
  },
});
