/** The JSON Schema of a receipt (spec §2.8, contract §3): what `schema=invocation` serves. */
import { gateNames } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { invocationStatuses } from './vocabulary.ts';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const invocationId = { type: 'string', pattern: '^inv_[a-z2-7]{16}$' };
const lineage = { anyOf: [invocationId, { type: 'null' }] };
const time = { type: 'string', format: 'date-time' };
const committed = (value: string): JsonObject => ({
  type: 'object',
  required: [value, 'content_sha', 'salt'],
  properties: {
    [value]: {},
    content_sha: textOrNull,
    salt: textOrNull,
    state: { enum: ['present', 'scrubbed', 'withheld', 'missing', 'none'] },
    replacement: {},
  },
});

const properties: JsonObject = {
  id: invocationId,
  key: text,
  object_type: text,
  status: { enum: [...invocationStatuses] },
  ok: { type: 'boolean' },
  ran: { type: 'boolean' },
  error: textOrNull,
  tenant: text,
  actor: text,
  authority: {
    type: 'object',
    required: ['kind', 'fingerprint', 'chain', 'purpose'],
    properties: {
      kind: text,
      fingerprint: textOrNull,
      chain: { type: 'array', items: text },
      purpose: textOrNull,
    },
  },
  gates: {
    type: 'array',
    items: {
      type: 'object',
      required: ['gate', 'ok', 'note'],
      properties: { gate: { enum: [...gateNames] }, ok: { type: 'boolean' }, note: text },
    },
  },
  contract_hash: text,
  request: committed('body'),
  response: committed('result'),
  idempotency_key: textOrNull,
  started_at: time,
  finished_at: { anyOf: [time, { type: 'null' }] },
  duration_ms: { type: ['integer', 'null'] },
  // What the caller said of itself.
  said: { type: 'object' },
  // How far a call is that is not at its end.
  progress: {
    anyOf: [
      {
        type: 'object',
        properties: {
          stage: { enum: ['running', 'submitted', 'resumed'] },
          since: time,
          lease_until: { anyOf: [time, { type: 'null' }] },
        },
        required: ['stage', 'since', 'lease_until'],
      },
      { type: 'null' },
    ],
  },
  // What came of it; cost.usd is null where tokens were spent and no price is known.
  yield: {
    type: 'object',
    properties: {
      tokens: { type: 'object', required: ['in', 'out', 'total'] },
      cost: { type: 'object', properties: { usd: { type: ['number', 'null'] } }, required: ['usd'] },
      material: { type: 'array', items: { type: 'object', required: ['kind', 'id', 'url'] } },
      waste: { type: 'integer' },
    },
    required: ['tokens', 'cost', 'material', 'waste'],
  },
  // The list of what came of it, with what it was committed to: absent where nothing did.
  material: committed('items'),
  replay_of: lineage,
  repairs: lineage,
  repaired_by: lineage,
  root: lineage,
  entries: {
    type: 'array',
    items: { type: 'object', required: ['chain', 'n', 'ts', 'actor', 'prev', 'hash'] },
  },
  proof: {
    type: 'object',
    required: ['ok', 'entry', 'entry_hash', 'log_index', 'tlog_proof', 'receipt', 'confirm'],
  },
  verbs: { type: 'array', items: { type: 'object' } },
  // Addresses with a place for the share that may open them: the receipt, a replay, a repair.
  templates: { type: 'array', items: { type: 'string' } },
  links: { type: 'object' },
};

const latest = {
  type: 'object',
  description: 'The proof of the newest entry, where one stands behind the entry of `proof`.',
  required: ['entry', 'entry_hash', 'log_index', 'tlog_proof'],
};

/** The shape by itself, as OIP_RECEIPT answers with it. */
export const receiptShape = {
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, latest },
};

export function invocationSchema(base: string): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${base}/api/dispatch?schema=invocation`,
    title: 'invocation',
    ...receiptShape,
  };
}
