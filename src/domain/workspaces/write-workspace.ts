/**
 * Making and changing workspaces (contract §7), and their projection. A name is for ever: slugs begin with it. `main`
 * is there from the start and stays open; what is said of it can be changed like any other's.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context, Result } from '../context.ts';
import { mainTenant } from '../articles/slugs.ts';
import { links } from '../links.ts';
import { blankRules, visibleTextRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { everyWorkspace, workspaceTable, type WorkspaceRow } from './tables.ts';
import { exactly } from '../../model/exact.ts';
import { WorkspaceWritten, type WorkspaceState } from '../../model/workspace.ts';
import type { WorkspaceStatus } from '../../model/vocabulary.ts';

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

/** `main` as it stands before anybody said anything of it. */
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
    title: said(input.title),
    purpose: said(input.purpose),
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
  const stood = before?.state ?? (isMain ? mainState : undefined);
  if (stood === undefined)
    return fault(
      'not_found',
      `There is no workspace ${input.name.slice(0, 60)}.`,
      'Make it with WORKSPACE_CREATE, or list them: GET /api/workspace.',
    );
  const state: WorkspaceState = {
    name: input.name,
    title: input.title === undefined ? stood.title : said(input.title),
    purpose: input.purpose === undefined ? stood.purpose : said(input.purpose),
    status: (input.status ?? stood.status) as WorkspaceStatus,
  };
  if (before !== undefined) return written(state, before, 'set', context);
  return written(state, { tenant: mainTenant, chain: context.id('ws_'), head: null }, 'set', context);
}

function said(text: string | undefined): string {
  return (text ?? '').trim();
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
  const { base, now, actor, inv } = context;
  const page = links.workspacePage(base, state.name);
  return {
    event: {
      draft: { chain: at.chain, ts: now, actor, action, inv },
      head: at.head,
      contents: [{ field: 'content_sha', value: { tenant: at.tenant, state } }],
    },
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
  const { entry, hash } = event.sealed;
  if (!entry.chain.startsWith('ws_')) return;
  const content = event.contents['content_sha'] as unknown as
    { readonly tenant: string; readonly state: WorkspaceState } | undefined;
  if (content === undefined) return;
  const { tenant, state } = content;
  const head = { n: entry.n, hash, ts: entry.ts };
  to.put(workspaceTable, {
    directory: everyWorkspace,
    name: state.name,
    tenant,
    state,
    chain: entry.chain,
    head,
  });
}
