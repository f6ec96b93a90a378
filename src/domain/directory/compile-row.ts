/**
 * From a stored row to one that dispatch can call. An owner's row reaches outside as an effect, so that its intent
 * is recorded first; it is covered by shares that name it and by no other, so that no share grows by a new row.
 */
import Type, { type TObject, type TSchema } from 'typebox';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { isFault } from '../../kernel/fault.ts';
import type { Plan } from '../capabilities/plan.ts';
import { defineRow, type Row } from '../capabilities/row.ts';
import { effect } from '../outside/outside.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Result } from '../context.ts';
import { checkOutput, httpOutput } from './output-schema.ts';
import type { FnTarget, HttpTarget, RowArgument, RowDefinition, RowState } from './tables.ts';
import { fillBody, fillUrl, type Values } from './url-template.ts';

/** `builtIn` is the row that the program itself has under the key, where a built-in row was changed. */
export function compileRow(tenant: string, state: RowState, builtIn: Row | undefined): Row | undefined {
  const base = state.definition === null ? builtIn : ownRow(tenant, state, state.definition);
  if (base === undefined) return undefined;
  const contractHash = sha256Hex(
    canonicalJson({ base: base.contractHash, version: state.version, contract: state.contract }),
  );
  return {
    ...base,
    ...(builtIn === undefined ? {} : { origin: builtIn }),
    contract: state.contract,
    contractHash,
    auth: base.auth === 'none' && state.authority_required ? 'share' : base.auth,
    rowOverride: {
      version: state.version,
      enabled: state.enabled,
      ledgerEnabled: state.ledger_enabled,
      authorityRequired: state.authority_required || base.auth !== 'none',
      type: state.definition?.target.type ?? 'fn',
      method: state.definition?.target.type === 'http' ? state.definition.target.method : null,
    },
  };
}

function ownRow(tenant: string, state: RowState, definition: RowDefinition): Row {
  const { target, args, timeout_ms: timeoutMs, output_schema: schema } = definition;
  const output = schema === undefined ? undefined : target.type === 'http' ? httpOutput(schema) : schema;
  const rest = args.find((arg) => arg.rest)?.name;
  const row = defineRow({
    key: state.key,
    category: definition.category,
    target: target.type === 'http' ? target.url : target.module,
    contract: state.contract,
    input: inputOf(args),
    output,
    ...(rest === undefined ? {} : { rest }),
    auth: definition.auth,
    risk: definition.risk,
    requiresApproval: definition.requires_approval,
    safe: false,
    inAct: false,
    prefixable: false,
    plan: (given) => planOf(tenant, state.key, target, args, given as JsonObject, timeoutMs, output),
  });
  // What the row does is part of what a receipt's contract hash stands for.
  return { ...row, contractHash: sha256Hex(canonicalJson({ row: row.contractHash, target })) };
}

function inputOf(args: readonly RowArgument[]): TObject {
  const properties: Record<string, TSchema> = {};
  for (const { name, type, required, description } of args) {
    const about = description === '' ? {} : { description };
    const schema =
      type === 'string'
        ? Type.String({ maxLength: 32_000, ...about })
        : type === 'integer'
          ? Type.Integer(about)
          : type === 'number'
            ? Type.Number(about)
            : Type.Boolean(about);
    properties[name] = required ? schema : Type.Optional(schema);
  }
  return Type.Object(properties, { additionalProperties: false });
}

function planOf(
  tenant: string,
  key: string,
  target: HttpTarget | FnTarget,
  args: readonly RowArgument[],
  given: JsonObject,
  timeoutMs: number,
  output: TSchema | JsonObject | undefined,
): Plan | Fault {
  const held = (result: Result | Fault): Result | Fault =>
    output === undefined || isFault(result) ? result : checkOutput(output, result);
  if (target.type === 'fn') {
    const { module, sha256 } = target;
    return {
      ...effect(['runModule'], timeoutMs, async (signal, { runModule }) =>
        held(await runModule({ module, sha256, args: given, timeoutMs, signal })),
      ),
      check: ({ moduleLacks }) => moduleLacks({ module, sha256 }),
    };
  }
  const values: Values = args.map(({ name }) =>
    given[name] === undefined ? undefined : String(given[name]),
  );
  const url = fillUrl(target.url, values);
  if (isFault(url)) return url;
  const body = target.body === null ? undefined : JSON.stringify(fillBody(target.body, values));
  const { method, headers } = target;
  return {
    ...effect(['callHttp'], timeoutMs, async (signal, { callHttp }) =>
      held(await callHttp({ tenant, key, method, url, headers, body, timeoutMs, signal })),
    ),
    check: ({ httpLacks }) => httpLacks({ tenant, key, url, headers }),
  };
}
