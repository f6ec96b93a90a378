/**
 * JSON answers that are not reads of the article ledger, by their names in `/api/openapi.json` (contract §7): entry,
 * workspaces, rows, credentials, what `/api/dispatch` looks up, and documents in a foreign format.
 */
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { gateNames } from '../kernel/fault.ts';
import { Explained, KeyList, SelfCutShare } from './capability.ts';
import * as directory from './directory.ts';
import { Confirmation, Receipt } from './invocation.ts';
import { count, flag, list, oneOf, open, orNull, read, self, shape, text, url } from './parts.ts';
import { Annotations, CslItems, OEmbed } from './linked-data.ts';
import { untrusted } from './vocabulary.ts';
import { Entered, WorkspaceView } from './workspace.ts';

/** A result in the envelope. */
const enveloped = ({ properties }: TObject, more: TProperties = {}) => read({ ...properties, ...more });

const gate = Type.Object({ gate: oneOf(gateNames), ok: flag, note: text });

const lane = shape({
  lane: text,
  about: text,
  reads: Type.Optional(list(url)),
  templates: Type.Optional(list(text)),
  soft_errors: Type.Optional(text),
  post: Type.Optional(url),
  members: Type.Optional(list(text)),
  definition: Type.Optional(url),
  tools: Type.Optional(list(text)),
});

/** The same, among other members. */
const envelopedAmong = (members: TProperties) =>
  Type.Object({ ok: Type.Literal(true), trust: Type.Literal(untrusted), ...members, _self: self });

export const answerSchemas: Readonly<Record<string, TSchema>> = {
  Entered: enveloped(Entered, { _explain: text }),
  Workspaces: read({ workspaces: list(WorkspaceView), templates: list(text), precedence: text }),
  Workspace: read({ workspace: WorkspaceView, precedence: text }),
  ModelLanes: read({
    precedence: text,
    proof: text,
    lanes: list(lane),
    authority: shape({ none: text, self_cut: shape({ rows: list(text), url }), share: text }),
  }),
  Keys: KeyList,
  Schemas: read({
    count,
    schemas: list(shape({ name: text, what: text, schema: url })),
    templates: list(shape({ name: text, read: text })),
  }),
  Row: directory.WholeRow,
  Registry: directory.Registry,
  RowSchemas: directory.RowSchemas,
  ReceiptSchema: read({ schema: open }),
  Ask: directory.AskAnswer,
  ProtocolMap: enveloped(directory.Tree),
  System: enveloped(directory.System),
  BuildMap: envelopedAmong({ protocol: text, rows: list(directory.RowView) }),
  Manifest: read({ actions: list(text), rows: list(text), templates: list(text) }),
  Confirmation: enveloped(Confirmation),
  Receipt: envelopedAmong(Receipt.properties),
  Explained: envelopedAmong(Type.Partial(Explained).properties),
  SelfCut: enveloped(SelfCutShare),
  DryRun: envelopedAmong({
    key: text,
    ran: Type.Literal(false),
    gates: list(gate),
    would_run: flag,
    charged: Type.Literal(false),
  }),
  Liveness: shape({ ok: Type.Literal(true) }),
  Readiness: shape({ ok: Type.Literal(true), entries: count }),
  LogAlarms: read({
    count,
    alarms: list(shape({ text, evidence: orNull(url) })),
    templates: list(text),
  }),
  ForkEvidence: Type.Object(
    {
      evidence: Type.Literal(1),
      key: Type.String({ description: 'the verifier key that signed both, name+hash+key' }),
      checkpoints: Type.Array(text, { minItems: 2, maxItems: 2, description: 'signed notes' }),
      proof: Type.Optional(
        Type.Array(text, { description: 'a consistency proof between them: hashes in base64' }),
      ),
    },
    { additionalProperties: false },
  ),
  OpenApi: Type.Object({ openapi: text, info: open, servers: list(open), paths: open, components: open }),
  Annotations,
  CslItems,
  OEmbed,
  JsonRpc: Type.Object({
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(orNull(Type.Union([text, Type.Number()]))),
    result: Type.Optional(open),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: text, data: Type.Optional(open) })),
  }),
};
