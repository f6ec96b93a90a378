/** What an owner's row may be (contract §3): every problem of a definition at once, before anything is written. */
import type { Fault } from '../../kernel/fault.ts';
import { refusalOf } from '../violations.ts';
import { definitionRules, type ArgumentInput, type DefinitionInput } from './definition-rules.ts';
import { secretNames } from './url-template.ts';
import type { FnTarget, HttpTarget, RowArgument, RowDefinition } from './tables.ts';

/** Secrets named by the headers, each once. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(headers).flatMap(secretNames))];
}

export function readDefinition(input: DefinitionInput): RowDefinition | Fault {
  const bad = refusalOf(
    definitionRules(input),
    'The row',
    'Correct what is named and send the whole definition again.',
  );
  if (bad !== undefined) return bad;
  return {
    target: input.type === 'http' ? httpTarget(input) : fnTarget(input),
    args: (input.args ?? []).map(readArgument),
    category: input.category ?? 'owner',
    auth: input.auth ?? 'share',
    risk: input.risk ?? 'high',
    requires_approval: input.requires_approval ?? false,
    timeout_ms: input.timeout_ms ?? 15_000,
    ...(input.output_schema === undefined ? {} : { output_schema: input.output_schema }),
  };
}

function readArgument(arg: ArgumentInput): RowArgument {
  return {
    name: arg.name,
    description: arg.description ?? '',
    type: arg.type ?? 'string',
    required: arg.required ?? true,
    rest: arg.rest ?? false,
  };
}

function httpTarget(input: DefinitionInput): HttpTarget {
  const { method = 'GET', url = '', headers = {}, body = null } = input;
  return { type: 'http', method, url, headers, body };
}

function fnTarget({ module = '', module_sha256: sha256 = '' }: DefinitionInput): FnTarget {
  return { type: 'fn', module, sha256 };
}
