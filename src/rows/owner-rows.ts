/** Rows that make and change rows (spec §4.1 PATCH, contract §3 "PUT creates a row"): the owner's alone. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import {
  putRow,
  type PutRowInput,
  reviseRow,
  type ReviseRowInput,
  revisionRules,
} from '../domain/directory/write-row.ts';
import { definitionRules, type GivenDefinition, methods } from '../domain/directory/definition.ts';
import { argumentTypes } from '../domain/directory/tables.ts';
import { oneOf, optionalOneOf, optionalWords, words } from '../model/arguments.ts';
import { RowSecretWritten, RowWritten } from '../model/directory.ts';

const key = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{2,63}$',
  description: 'the key of the row, such as WORD_COUNT',
});
const expectedVersion = Type.Optional(
  Type.Integer({ minimum: 0, description: 'the version that was read; a stale one writes nothing' }),
);
const enabled = Type.Optional(Type.Boolean({ description: 'false: calls are refused with row_disabled' }));
const ledgerEnabled = Type.Optional(
  Type.Boolean({ description: 'false: invocations are recorded as commitments only' }),
);
const outputSchema = Type.Optional(
  Type.Object(
    {},
    { description: 'JSON Schema of what its target answers; a result that does not fit says so' },
  ),
);
const owner = { auth: 'owner', risk: 'high', safe: false, inAct: false, prefixable: false } as const;

const argument = Type.Object(
  {
    name: words(40, 'a-z, 0-9 and _'),
    description: optionalWords(300, 'what it is'),
    type: optionalOneOf(argumentTypes, 'string, integer, number or boolean'),
    required: Type.Optional(Type.Boolean()),
    rest: Type.Optional(Type.Boolean({ description: 'takes the rest of a positional body, pipes and all' })),
  },
  { additionalProperties: false },
);

const directoryPut = defineRow({
  ...owner,
  key: 'DIRECTORY_PUT',
  category: 'directory',
  target: 'row',
  wishes: ['add a new row that calls an API', 'teach the service something new'],
  contract: {
    what: 'Makes a row without code, or the next version of one: an http row asks a fixed host, with $1 to $9 in path, query and JSON body; an fn row runs a function of the configured folder. Headers name secrets as {secret:NAME}.',
    when: 'When the service should be able to do something new. To change a contract or to stop a row, DIRECTORY_PATCH is enough.',
    example:
      '{"key":"WEATHER","type":"http","url":"https://api.example.org/v1/weather?city=$1","args":[{"name":"city"}],"what":"Tells the weather of a city.","when":"Before an outing.","example":"Bern","auth":"share","risk":"low"}',
  },
  input: Type.Object(
    {
      key,
      type: oneOf(['http', 'fn'], 'http or fn'),
      what: Type.String({ minLength: 1, maxLength: 2000, description: 'what the row does' }),
      when: Type.String({ minLength: 1, maxLength: 2000, description: 'when to use it' }),
      example: words(2000, 'a body that works'),
      method: optionalOneOf(methods, 'GET, POST, PUT, PATCH or DELETE; GET when left out'),
      url: optionalWords(4000, 'template of an http row'),
      headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 2000 }))),
      body: Type.Optional(Type.Object({}, { description: 'JSON template; $N inside strings' })),
      module: optionalWords(90, 'file of an fn row'),
      module_sha256: optionalWords(64, 'hex SHA-256 of that file'),
      args: Type.Optional(Type.Array(argument, { maxItems: 9 })),
      category: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' })),
      auth: optionalOneOf(['none', 'share', 'owner'], 'none, share or owner; share when left out'),
      risk: optionalOneOf(['low', 'high'], 'low or high; high when left out'),
      requires_approval: Type.Optional(Type.Boolean()),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000 })),
      output_schema: outputSchema,
      enabled,
      ledger_enabled: ledgerEnabled,
      expected_version: expectedVersion,
    },
    { additionalProperties: false },
  ),
  output: RowWritten,
  rules: (given) => definitionRules(given as GivenDefinition),
  plan: (input) => ({
    do: 'write-row',
    key: input.key,
    decide: (before, context) => putRow(input as PutRowInput, before, context),
  }),
});

const directoryPatch = defineRow({
  ...owner,
  key: 'DIRECTORY_PATCH',
  category: 'directory',
  target: 'row',
  wishes: ['switch a row off', 'change the contract of a row'],
  contract: {
    what: 'Makes a new version of a row: its contract, the schema of its answers, or whether it is enabled, ledgered in full, or needs a credential. Earlier versions stay readable.',
    when: 'When the contract of a row should say more, or a row should stop. A new row is made by DIRECTORY_PUT.',
    example: '{"key":"MIRROR_FEED","content":"WHAT Lists contributions.\\nWHEN_TO_USE Before adding one."}',
  },
  input: Type.Object(
    {
      key,
      content: optionalWords(8000, 'the contract: WHAT, WHEN_TO_USE and EX sections'),
      enabled,
      ledger_enabled: ledgerEnabled,
      authority_required: Type.Optional(Type.Boolean({ description: 'true: every call needs a credential' })),
      output_schema: outputSchema,
      expected_version: expectedVersion,
    },
    { additionalProperties: false },
  ),
  output: RowWritten,
  rules: revisionRules,
  plan: (input) => ({
    do: 'write-row',
    key: input.key,
    decide: (before, context) => reviseRow(input as ReviseRowInput, before, context),
  }),
});

const rowSecret = defineRow({
  ...owner,
  key: 'ROW_SECRET',
  category: 'directory',
  target: 'row',
  wishes: ['set the secret of a row'],
  contract: {
    what: 'Records that a secret of a row is about to be set or forgotten. The secret itself is sent to PUT /api/directory/<KEY>/secrets/<NAME> and never enters the ledger.',
    when: 'Through that address; by itself it changes nothing.',
    example: 'WEATHER|API_KEY|set',
  },
  input: Type.Object(
    {
      key,
      name: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,39}$', description: 'the name of the secret' }),
      action: Type.Unsafe<'set' | 'forget'>(
        Type.String({ pattern: '^(?:set|forget)$', description: 'set or forget' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: RowSecretWritten,
  plan: ({ key: of, name, action }) => ({
    do: 'read',
    question: { name: 'row-secret', key: of, secret: name, action },
  }),
});

export const ownerRowRows: readonly Row[] = [directoryPut, directoryPatch, rowSecret];
