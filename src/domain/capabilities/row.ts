/**
 * Directory rows (spec §2.6, contract §3). A row is data plus `plan`, which turns validated arguments into a plan; the
 * application executes the plan. Rows do not access the store.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { ArticleState } from '../articles/state.ts';
import type { PartialInput, Violation } from '../violations.ts';
import type { Outside } from '../outside/outside.ts';
import type { Plan } from './plan.ts';

/** Which credential a call needs. */
export type Authority = 'none' | 'share' | 'owner';
export type Risk = 'low' | 'high';

/** What a row's contract says (spec §2.6). */
export interface Contract {
  readonly what: string;
  readonly when: string;
  /** A body that works as it is, once its `<placeholders>` are replaced (`example.ts`). */
  readonly example: string;
}

export interface RowShape<S extends TObject = TObject> {
  readonly key: string;
  readonly category: string;
  readonly target: string;
  readonly contract: Contract;
  /** What callers want when they look for it, in their words; `ask` finds the row by them. The contract hash leaves them out. */
  readonly wishes?: readonly string[];
  /** Arguments in positional order. A string marked `rest` takes what remains, pipes and all. */
  readonly input: S;
  /** The JSON Schema of its `result`; an owner's row may have none. */
  readonly output?: TSchema | JsonObject | undefined;
  readonly rest?: string;
  /** The last arguments where they have no place in a positional body, so that a pipe too many is still noticed. */
  readonly byName?: readonly string[];
  readonly auth: Authority;
  readonly risk: Risk;
  /** A read: no state changes, a repeated call runs again. */
  readonly safe: boolean;
  /** A write that changes nothing when it is repeated; as `safe` when left out. */
  readonly idempotent?: boolean;
  /** Whether a share of scope `act` covers it. */
  readonly inAct: boolean;
  /** Which scopes cover a row outside `act`: an explicit row, and also a prefix unless this is false. */
  readonly prefixable?: boolean;
  readonly requiresApproval?: boolean;
  /** The row only narrows or gives up authority (CAP_MINT, CAP_REVOKE, LANDSCAPE_RETURN): any share may call it, at no use. */
  readonly selfLimiting?: boolean;
  /** Arguments that are never recorded, not even as a hash, which could be guessed. */
  readonly confidential?: readonly string[];
  /** Arguments that are large bytes: the ledger records `sha256:` and their hash in place of them. */
  readonly recordedByHash?: readonly string[];
  /** The row only makes another call, which passes the gates and consumes quota itself (OIP_REPLAY, OIP_REPAIR). */
  readonly delegates?: boolean;
  /**
   * The rules that its decision judges well-formed arguments by. They are asked as well where an argument is
   * ill-formed, so that one refusal names all; with the article, where the caller may know it.
   */
  rules?(
    given: PartialInput<Static<S>>,
    article: ArticleState | undefined,
    limits: SizeLimits,
  ): readonly Violation[];
  /** The same for what this deployment would not do outside: an effect's `check` judges well-formed arguments by them. */
  rulesHere?(given: PartialInput<Static<S>>, outside: Outside): readonly Violation[];
  plan(args: Static<S>): Plan | Fault;
}

export interface Row extends Omit<RowShape, 'plan' | 'rules' | 'rulesHere'> {
  readonly wishes: readonly string[];
  readonly prefixable: boolean;
  readonly idempotent: boolean;
  readonly requiresApproval: boolean;
  readonly selfLimiting: boolean;
  readonly delegates: boolean;
  readonly argNames: readonly string[];
  /** SHA-256 of the canonical contract: what a receipt says was in force. */
  readonly contractHash: string;
  /** How the workspace's directory changed or created the row; absent for an unchanged built-in row. */
  readonly rowOverride?: RowOverride;
  /** The built-in row below a changed one. */
  readonly origin?: Row;
  rules?(given: JsonObject, article: ArticleState | undefined, limits: SizeLimits): readonly Violation[];
  rulesHere?(given: JsonObject, outside: Outside): readonly Violation[];
  plan(args: JsonObject): Plan | Fault;
}

/** The owner's settings of a row (contract §3). */
export interface RowOverride {
  readonly version: number;
  readonly enabled: boolean;
  readonly ledgerEnabled: boolean;
  readonly authorityRequired: boolean;
  readonly type: 'fn' | 'http';
  /** HTTP method of an http row. */
  readonly method: string | null;
}

/** Whether the ledger keeps only commitments to request and response. */
export function isRedacted(row: Row): boolean {
  return row.rowOverride?.ledgerEnabled === false;
}

export function defineRow<S extends TObject>(shape: RowShape<S>): Row {
  const { plan, rules, rulesHere, output, wishes = [], ...data } = shape;
  const argNames = Object.keys(shape.input.properties);
  const contract = hashOf({ ...data, argNames });
  return {
    ...data,
    wishes,
    output,
    prefixable: shape.prefixable ?? true,
    idempotent: shape.idempotent ?? shape.safe,
    requiresApproval: shape.requiresApproval ?? false,
    selfLimiting: shape.selfLimiting ?? false,
    delegates: shape.delegates ?? false,
    argNames,
    // Whoever relies on a member of the answer has the hash of its schema to compare.
    contractHash: output === undefined ? contract : hashOf({ contract, output }),
    ...(rules === undefined ? {} : { rules: rules as NonNullable<Row['rules']> }),
    ...(rulesHere === undefined ? {} : { rulesHere: rulesHere as NonNullable<Row['rulesHere']> }),
    plan: plan as Row['plan'],
  };
}

function hashOf(data: object): string {
  return sha256Hex(canonicalJson(JSON.parse(JSON.stringify(data)) as JsonValue));
}

export function isRequired({ input }: Pick<Row, 'input'>, name: string): boolean {
  return ((input as { readonly required?: readonly string[] }).required ?? []).includes(name);
}

/** The arguments of a positional body. */
export function placedNames({ argNames, byName = [] }: Pick<Row, 'argNames' | 'byName'>): readonly string[] {
  return argNames.filter((name) => !byName.includes(name));
}

/** `$1 slug; $2 limit (optional)`: the ARGS line of a contract. What stands behind the rest is given by name alone. */
export function argsText(row: Row): string {
  if (row.argNames.length === 0) return 'none';
  const lastAt = row.rest === undefined ? placedNames(row).length - 1 : row.argNames.indexOf(row.rest);
  return row.argNames
    .map((name, i) => {
      const schema = row.input.properties[name] as { readonly description?: string };
      const about = [isRequired(row, name) ? '' : 'optional', schema.description ?? '']
        .filter((part) => part !== '')
        .join('; ');
      const place = i > lastAt ? 'by name' : `$${i + 1}${name === row.rest ? '+' : ''}`;
      return `${place} ${name}${about === '' ? '' : ` (${about})`}`;
    })
    .join('; ');
}

/** The contract text with its four sections. */
export function contractText(row: Row): string {
  return `WHAT ${row.contract.what}\nWHEN_TO_USE ${row.contract.when}\nARGS ${argsText(row)}\nEX [${row.key}]${row.contract.example}[/${row.key}]`;
}
