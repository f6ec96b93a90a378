/** The directory and its keeping (contract §3): the tree of rows, rows that the owner writes, secrets and their removal. */
import Type from 'typebox';
import { rowKey } from './capability.ts';
import type { Of } from './exact.ts';
import { count, flag, hash, list, oneOf, open, orNull, read, shape, text, url } from './parts.ts';
import { protocolName } from './vocabulary.ts';

const auth = oneOf(['none', 'share', 'owner']);
const risk = oneOf(['low', 'high']);

/** A row as the maps of the protocol list it. */
const mappedRow = shape({ key: rowKey, what: text, contract: text, auth, risk, safe: flag, read: url });
export type MappedRow = Of<typeof mappedRow>;
/** What OIP_TREE answers. */
export const Tree = shape({
  protocol: Type.Literal(protocolName),
  version: text,
  systems: list(shape({ name: text, rows: list(mappedRow) })),
});
export type Tree = Of<typeof Tree>;
/** One system of it. */
export const System = shape({ system: text, count, rows: list(mappedRow) });
export type System = Of<typeof System>;

const rowMembers = {
  id: rowKey,
  key: rowKey,
  object_type: Type.Literal('tool'),
  type: oneOf(['fn', 'http']),
  runner: oneOf(['fn', 'http']),
  directory_type: oneOf(['fn', 'http']),
  /** HTTP method of an http row. */
  method: orNull(text),
  category: text,
  target: text,
  description: text,
  contract: text,
  contract_hash: hash,
  version: Type.Integer({ minimum: 1 }),
  read: url,
  write: url,
  invoke: url,
  invoke_body: shape({ key: rowKey, body: text }),
  router_tag: text,
  input_schema: open,
  /** `replace` says of each placeholder of the body where its value is read. */
  examples: list(shape({ body: text, replace: Type.Optional(Type.Unsafe<Record<string, string>>(open)) })),
  auth,
  authority_required: flag,
  risk,
  requires_approval: flag,
  status: oneOf(['active', 'disabled']),
  enabled: flag,
  ledger_enabled: flag,
  in_act: flag,
  operation_semantics: shape({
    operation_type: text,
    safe: flag,
    idempotent: flag,
    preconditions: list(text),
    effects: list(text),
    postconditions: list(text),
  }),
  representations: shape({ article: url, json: url, skill: url, oip_contract: url }),
  schema: url,
  templates: list(text),
};
/** A row in lists. */
export const RowView = shape(rowMembers);
export type RowView = Of<typeof RowView>;
/** A row by itself. */
export const WholeRow = read({ ...rowMembers, output_schema: orNull(open) });
/** A page of the rows of a workspace. */
export const Registry = read({ count, total: count, rows: list(RowView), next: orNull(url) });
/** The JSON Schemas of what a row takes and answers. */
export const RowSchemas = read({ input_schema: open, schema: orNull(open), contract_hash: hash });

const rowMatch = shape({
  kind: Type.Literal('row'),
  key: rowKey,
  what: text,
  auth,
  risk,
  safe: flag,
  score: Type.Number(),
  url,
  row: url,
  router_tag: text,
  templates: list(text),
});
/** A read that needs no row; `url` is filled in as far as the question has what it takes. */
const readMatch = shape({
  kind: Type.Literal('read'),
  name: text,
  what: text,
  safe: Type.Literal(true),
  score: Type.Number(),
  url,
  templates: list(text),
});
const match = Type.Union([rowMatch, readMatch]);
export type MatchView = Of<typeof rowMatch> | Of<typeof readMatch>;
/** Rows and reads that fit a question, best first. */
export const AskAnswer = read({
  question: text,
  best: orNull(match),
  matches: list(match),
  did_you_mean: list(shape({ key: rowKey, url })),
});

/** What DIRECTORY_PUT and DIRECTORY_PATCH answer. */
export const RowWritten = shape({
  key: rowKey,
  version: Type.Integer({ minimum: 1 }),
  /** False where the row was so already, and no version was made. */
  changed: flag,
  enabled: flag,
  ledger_enabled: flag,
  authority_required: flag,
  contract_hash: orNull(hash),
  secrets: list(text),
  read: url,
  read_version: url,
});

/** What ROW_SECRET answers. */
export const RowSecretWritten = shape({ key: rowKey, secret: text, action: oneOf(['set', 'forget']) });

const found = list(shape({ path: text, kind: text, count }));
/** What SECRET_SCRUB answers. */
export const Scrubbed = shape({
  scope: text,
  contents: count,
  occurrences: count,
  kinds: Type.Record(Type.String(), count),
  places: list(shape({ chain: text, n: count, field: text, found })),
  more_places: flag,
  unreadable: count,
  unreadable_names: Type.Optional(list(text)),
  blobs: count,
  held: count,
  blobs_removed: Type.Optional(list(hash)),
});
export type Scrubbed = Of<typeof Scrubbed>;
