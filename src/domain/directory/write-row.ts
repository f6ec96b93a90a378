/** Making, revising and switching rows (contract §3 "PUT … creates a row, PATCH makes a new version"), and their projection. */
import { headOf } from '../../ledger/entry.ts';
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sameJson, type JsonObject } from '../../kernel/json.ts';
import { argumentsOf } from '../capabilities/arguments.ts';
import { argsText, type Contract, type Row } from '../capabilities/row.ts';
import type { Context, Result } from '../context.ts';
import { links } from '../links.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { compileRow } from './compile-row.ts';
import { parseContract } from './contract-text.ts';
import { replaceOutputSchema } from './output-schema.ts';
import { parseDefinition, secretsOf, type DefinitionInput } from './definition.ts';
import { directoryTable, rowPath, rowVersionTable, type DirectoryRow, type RowState } from './tables.ts';
import { exactly } from '../../model/exact.ts';
import { RowWritten } from '../../model/directory.ts';

export interface PutRowInput extends DefinitionInput, Contract {
  readonly key: string;
  readonly enabled?: boolean | undefined;
  readonly ledger_enabled?: boolean | undefined;
  readonly expected_version?: number | undefined;
}

export interface ReviseRowInput {
  readonly key: string;
  readonly content?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly ledger_enabled?: boolean | undefined;
  readonly authority_required?: boolean | undefined;
  readonly output_schema?: JsonObject | undefined;
  readonly expected_version?: number | undefined;
}

/** What a decision about a row stands on. */
export interface RowBefore {
  readonly stored: DirectoryRow | undefined;
  /** The row as it runs now, built-in or the owner's. */
  readonly running: Row | undefined;
}

export interface RowWritten {
  readonly events: readonly EventDraft[];
  readonly result: Result;
}

/** Making a row, or the next version of one that the owner made. A built-in row is not replaced. */
export function putRow(input: PutRowInput, before: RowBefore, context: Context): RowWritten | Fault {
  const { stored, running } = before;
  const isOwn = stored !== undefined && stored.state.definition !== null;
  if (running !== undefined && !isOwn) {
    return fault(
      'conflict',
      `${input.key} is a row of the service itself.`,
      'Choose another key, or revise its contract with PATCH.',
      { key: input.key },
    );
  }
  const definition = parseDefinition(input);
  if (isFault(definition)) return definition;
  const stale = staleVersion(input.expected_version, stored?.state.version ?? 0);
  if (stale !== undefined) return stale;
  const state: RowState = {
    key: input.key,
    version: (stored?.state.version ?? 0) + 1,
    contract: { what: input.what, when: input.when, example: input.example },
    enabled: input.enabled ?? true,
    ledger_enabled: input.ledger_enabled ?? true,
    authority_required: definition.auth !== 'none',
    definition,
  };
  return (
    wrongExample(compileRow(context.tenant, state, undefined)) ??
    written(stored, stored?.state, state, undefined, stored === undefined ? 'create' : 'replace', context)
  );
}

export function revisionRules(given: PartialInput<ReviseRowInput>): Violation[] {
  const { key: _key, expected_version: _expected, ...changes } = given;
  if (Object.values(changes).some((change) => change !== undefined)) return [];
  return [
    violation(
      'missing',
      '',
      'Nothing of the row is to change.',
      'Send content, enabled, ledger_enabled, authority_required or output_schema.',
    ),
  ];
}

/** A new version of a row's contract, its switches or the schema of its answers; what is left out stays. */
export function reviseRow(input: ReviseRowInput, before: RowBefore, context: Context): RowWritten | Fault {
  const { stored, running } = before;
  if (running === undefined)
    return fault(
      'unknown_key',
      `There is no row ${input.key.slice(0, 80)}.`,
      'Make it with PUT, or read the registry for the keys that exist.',
    );
  const bad = refusalOf(revisionRules(input));
  if (bad !== undefined) return bad;
  const now = stateOf(stored, running);
  const stale = staleVersion(input.expected_version, now.version);
  if (stale !== undefined) return stale;
  const definition = replaceOutputSchema(input.key, now.definition, input.output_schema);
  if (isFault(definition)) return definition;
  const contract =
    input.content === undefined
      ? now.contract
      : parseContract(input.content, now.contract, input.key, argsText(running));
  if (isFault(contract)) return contract;
  const ownAuth = now.definition?.auth ?? (running.origin ?? running).auth;
  if (input.authority_required === false && ownAuth !== 'none') {
    return fault(
      'body_mismatch',
      `${input.key} needs a credential by its own contract.`,
      'authority_required can add that need and take its own addition back; nothing else.',
    );
  }
  const state: RowState = {
    ...now,
    version: now.version + 1,
    contract,
    enabled: input.enabled ?? now.enabled,
    ledger_enabled: input.ledger_enabled ?? now.ledger_enabled,
    authority_required: input.authority_required ?? now.authority_required,
    definition,
  };
  const isNew = contract.example !== now.contract.example;
  return (
    (isNew ? wrongExample({ ...running, contract }) : undefined) ??
    written(stored, now, state, running.origin ?? running, 'revise', context)
  );
}

/** An example must fit the row's own schema: a copied example must not be refused. */
function wrongExample(row: Row | undefined): Fault | undefined {
  const args = row === undefined ? undefined : argumentsOf(row, row.contract.example);
  if (!isFault(args)) return undefined;
  return fault(
    'body_mismatch',
    `The example does not work. ${args.message}`,
    'Send an example that the row takes.',
    args.details,
  );
}

/** An unchanged built-in row has version 1. */
function stateOf(stored: DirectoryRow | undefined, running: Row): RowState {
  return (
    stored?.state ?? {
      key: running.key,
      version: 1,
      contract: running.contract,
      enabled: true,
      ledger_enabled: true,
      authority_required: running.auth !== 'none',
      definition: null,
    }
  );
}

function staleVersion(expected: number | undefined, now: number): Fault | undefined {
  if (expected === undefined || expected === now) return undefined;
  return fault(
    'conflict',
    `The row is at version ${now}, not ${expected}.`,
    'Read the row and send the change again.',
    {
      current_version: now,
    },
  );
}

/** What is as it was asked to be makes no version: a receipt says that it was asked. */
function written(
  stored: DirectoryRow | undefined,
  before: RowState | undefined,
  requested: RowState,
  builtIn: Row | undefined,
  action: string,
  context: Context,
): RowWritten {
  const isUnchanged = before !== undefined && sameJson({ ...requested, version: before.version }, before);
  const state = isUnchanged ? before : requested;
  const row = compileRow(context.tenant, state, builtIn);
  const url = links.row(context.base, state.key);
  const secrets = state.definition?.target.type === 'http' ? secretsOf(state.definition.target.headers) : [];
  const result = exactly(RowWritten, {
    key: state.key,
    version: state.version,
    changed: !isUnchanged,
    enabled: state.enabled,
    ledger_enabled: state.ledger_enabled,
    authority_required: state.authority_required,
    contract_hash: row?.contractHash ?? null,
    secrets,
    read: url,
    read_version: `${url}?version=${state.version}`,
  });
  const event = (): EventDraft =>
    actEntry(
      context,
      stored?.chain ?? context.id('row_'),
      stored?.head ?? null,
      action,
      { tenant: context.tenant, state },
      { version: state.version },
    );
  return {
    events: isUnchanged ? [] : [event()],
    result: {
      result,
      text: isUnchanged
        ? `${state.key} is so already: nothing changed, and it stays at version ${state.version}.`
        : `${state.key} is at version ${state.version}.`,
      material: [{ kind: 'row', id: state.key, url }],
    },
  };
}

export function projectDirectory(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith('row_')) return;
  const content = event.contents['content_sha'] as
    { readonly tenant: string; readonly state: RowState } | undefined;
  if (content === undefined) return;
  const { tenant, state } = content;
  const head = headOf(event.sealed);
  to.put(directoryTable, { tenant, key: state.key, state, chain: entry.chain, head });
  to.put(rowVersionTable, {
    path: rowPath(tenant, state.key),
    version: state.version,
    state,
    actor: entry.actor,
    ts: entry.ts,
    inv: String(entry['inv']),
  });
}
