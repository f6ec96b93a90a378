/**
 * Making and changing workspaces (contract §7), and their projection. A name is for ever: slugs begin with it. `main`
 * is there from the start and stays open; what is said of it can be changed like any other's.
 */
import { type Head, headOf } from '../../ledger/entry.ts';
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { about, type Fault, fault } from '../../kernel/fault.ts';
import type { Context, Result } from '../context.ts';
import { mainTenant } from '../articles/slugs.ts';
import { links } from '../links.ts';
import { blankRules, visibleTextRules } from '../text-rules.ts';
import { type PartialInput, type Violation, refusalOf, violation } from '../violations.ts';
import { exactly } from '../../model/exact.ts';
import { type WorkspaceState, WorkspaceWritten } from '../../model/workspace.ts';
import type { WorkspaceStatus } from '../../model/vocabulary.ts';
import { type RowOf, json, table, text } from '../../engine/tables.ts';

/** The one aggregate that holds them all. */
export const everyWorkspace = 'all';

export const workspaceTable = table('workspace', {
  key: { directory: text(), name: text() },
  columns: { tenant: text(), state: json<WorkspaceState>(), chain: text(), head: json<Head>() },
  aggregate: 'workspace',
});

export type WorkspaceRow = RowOf<typeof workspaceTable>;

export interface WorkspaceInput {
  readonly name: string;
  readonly title?: string | undefined;
  readonly purpose?: string | undefined;
  readonly status?: string | undefined;
}

export interface WorkspaceWrite {
  readonly event: EventDraft;
  readonly result: Result;
}

/** `main` before its first entry. */
export const mainState: WorkspaceState = {
  name: mainTenant,
  title: 'The main workspace',
  purpose: 'Articles as claims, sources and hashed text, with a receipt for every act.',
  status: 'open',
};

/** Room for a slug behind the name and its two hyphens. */
const name = /^(?=.{2,32}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function createWorkspace(
  input: WorkspaceInput,
  before: WorkspaceRow | undefined,
  context: Context,
): WorkspaceWrite | Fault {
  const bad = refusalOf(
    [...nameRules(input.name), ...workspaceRules(input)],
    'The workspace',
    'Send {"name":"field-notes","title":"Field notes","purpose":"…","status":"open"}.',
  );
  if (bad !== undefined) return bad;
  if (before !== undefined || input.name === mainTenant)
    return fault(
      'conflict',
      `There is a workspace ${input.name} already.`,
      'Choose another name, or change this one with WORKSPACE_SET.',
      { name: input.name },
    );
  const state: WorkspaceState = {
    name: input.name,
    title: normalizedText(input.title),
    purpose: normalizedText(input.purpose),
    status: (input.status ?? 'open') as WorkspaceStatus,
  };
  const tenant = context.id('ws_');
  return written(state, { tenant, chain: tenant, head: null }, 'create', context);
}

/** What is left out stays. */
export function setWorkspace(
  input: WorkspaceInput,
  before: WorkspaceRow | undefined,
  context: Context,
): WorkspaceWrite | Fault {
  const isMain = input.name === mainTenant;
  const bad = refusalOf(workspaceRules(input), 'The workspace');
  if (bad !== undefined) return bad;
  const previous = before?.state ?? (isMain ? mainState : undefined);
  if (previous === undefined)
    return about(
      fault(
        'not_found',
        `There is no workspace ${input.name.slice(0, 60)}.`,
        'Make it with WORKSPACE_CREATE, or list them: GET /api/workspace.',
      ),
      { kind: 'workspace', id: input.name },
    );
  const state: WorkspaceState = {
    name: input.name,
    title: input.title === undefined ? previous.title : normalizedText(input.title),
    purpose: input.purpose === undefined ? previous.purpose : normalizedText(input.purpose),
    status: (input.status ?? previous.status) as WorkspaceStatus,
  };
  if (before !== undefined) return written(state, before, 'set', context);
  return written(state, { tenant: mainTenant, chain: context.id('ws_'), head: null }, 'set', context);
}

function normalizedText(given: string | undefined): string {
  return (given ?? '').trim();
}

export function nameRules(given: string | null | undefined): Violation[] {
  if (typeof given !== 'string' || name.test(given)) return [];
  return [
    violation(
      'malformed',
      '/name',
      'A name has 2 to 32 characters of a-z, 0-9 and single hyphens.',
      'Name it as a slug, such as field-notes.',
    ),
  ];
}

/** What holds for a workspace that is made and for one that is changed. */
export function workspaceRules(given: PartialInput<WorkspaceInput>): Violation[] {
  return [
    ...blankRules('title', given.title, 'Send a title.'),
    ...visibleTextRules({ title: given.title, purpose: given.purpose }),
    ...(given.name === mainTenant && given.status === 'closed'
      ? [
          violation(
            'not_one_of',
            '/status',
            'The workspace main stays open.',
            'Make another workspace and close that.',
          ),
        ]
      : []),
  ];
}

function written(
  state: WorkspaceState,
  at: Pick<WorkspaceRow, 'tenant' | 'chain'> & { readonly head: WorkspaceRow['head'] | null },
  action: 'create' | 'set',
  context: Context,
): WorkspaceWrite {
  const { base } = context;
  const page = links.workspacePage(base, state.name);
  return {
    event: actEntry(context, at.chain, at.head, action, { tenant: at.tenant, state }),
    result: {
      result: exactly(WorkspaceWritten, {
        workspace: { id: state.name, title: state.title, purpose: state.purpose, status: state.status },
        page,
        enter: `${links.workspace(base, state.name)}/enter`,
      }),
      text: `The workspace ${state.name} is ${state.status}: ${page}`,
      material: [{ kind: 'workspace', id: state.name, url: page }],
    },
  };
}

export function projectWorkspace(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith('ws_')) return;
  const content = event.contents['content_sha'] as
    { readonly tenant: string; readonly state: WorkspaceState } | undefined;
  if (content === undefined) return;
  const { tenant, state } = content;
  const head = headOf(event.sealed);
  to.put(workspaceTable, {
    directory: everyWorkspace,
    name: state.name,
    tenant,
    state,
    chain: entry.chain,
    head,
  });
}
