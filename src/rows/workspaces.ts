/** Rows that make and change workspaces (contract §7): the deployment's owner alone. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import {
  createWorkspace,
  nameRules,
  setWorkspace,
  workspaceRules,
} from '../domain/workspaces/write-workspace.ts';
import { workspaceStatuses } from '../model/vocabulary.ts';
import { optionalOneOf, optionalWords, words } from '../model/arguments.ts';
import { WorkspaceWritten } from '../model/workspace.ts';

const owner = { category: 'workspace', target: 'workspace', auth: 'owner', risk: 'high' } as const;
const reach = { safe: false, inAct: false, prefixable: false } as const;
const name = words(32, 'a-z, 0-9 and single hyphens; slugs of the workspace begin with it');
const purpose = optionalWords(1000, 'plain text: what it is for');
const status = optionalOneOf(
  workspaceStatuses,
  'open or closed; in a closed one nothing is seen without a credential of it',
);

const create = defineRow({
  ...owner,
  ...reach,
  key: 'WORKSPACE_CREATE',
  wishes: ['make a new workspace'],
  contract: {
    what: 'Makes a workspace: articles, rows, shares, keys and receipts of its own, apart from those of every other. Its articles have slugs that begin with its name and two hyphens.',
    when: 'When work should stand apart, in the open or closed.',
    example: 'survey|The survey|Observations of the survey|open',
  },
  input: Type.Object(
    { name, title: words(200, 'plain text'), purpose, status },
    { additionalProperties: false },
  ),
  output: WorkspaceWritten,
  rules: (given) => [...nameRules(given.name), ...workspaceRules(given)],
  plan: (input) => ({
    do: 'write-workspace',
    name: input.name,
    decide: (before, context) => createWorkspace(input, before, context),
  }),
});

const set = defineRow({
  ...owner,
  ...reach,
  key: 'WORKSPACE_SET',
  wishes: ['close a workspace', 'open a workspace'],
  contract: {
    what: 'Changes title, purpose or status of a workspace; what is left out stays. Closing takes away every public view of it and ends no credential.',
    when: 'To open, close or describe a workspace.',
    example: '{"name":"survey","status":"closed"}',
  },
  input: Type.Object(
    { name, title: optionalWords(200, 'plain text'), purpose, status },
    { additionalProperties: false },
  ),
  output: WorkspaceWritten,
  rules: workspaceRules,
  plan: (input) => ({
    do: 'write-workspace',
    name: input.name,
    decide: (before, context) => setWorkspace(input, before, context),
  }),
});

export const workspaceRows: readonly Row[] = [create, set];
