/** The reads of `GET /api/dispatch` (spec §4.1): contracts, receipts, confirmations, maps. */
import { anyCall } from '../../domain/capabilities/call-template.ts';
import { authenticate, authenticateReader } from '../../app/credentials/authenticate.ts';
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { registry, rowSchemas } from '../../app/reads/directory.ts';
import { explain, explainNamed } from '../../app/credentials/explain.ts';
import {
  askQuestion,
  buildMap,
  mapMarkdown,
  protocolTree,
  systemArticle,
} from '../../app/reads/protocol-map.ts';
import { confirmationOf, receiptOf } from '../../app/reads/receipts.ts';
import type { Service } from '../../app/service.ts';
import { checkExpiry } from '../../domain/capabilities/gates.ts';
import { isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { links } from '../../domain/links.ts';
import { about, fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { invocationSchema } from '../../model/invocation.ts';
import { searchTemplate } from '../../represent/templates.ts';
import { contractOf, directoryOf } from './directory-routes.ts';
import { body } from './envelope.ts';
import { paging } from './parameters.ts';
import { wholeNumber, type Query } from './requests.ts';

/** The first one present selects the action of a GET. */
export const actions = [
  'invoke',
  'replay',
  'repairs',
  'key',
  'confirm',
  'receipt',
  'explain',
  'self_scope',
  'map',
  'registry',
  'ask',
  'schema',
  'build',
] as const;
export type ReadAction = Exclude<(typeof actions)[number], 'invoke' | 'replay' | 'repairs' | 'self_scope'>;

/** Answers a read with JSON or Markdown. */
export async function readAction(
  service: Service,
  action: ReadAction,
  query: Query,
  presented: Parameters<typeof authenticate>[1],
): Promise<JsonObject | string | Fault> {
  const { base } = service;
  switch (action) {
    case 'confirm': {
      const confirmation = await confirmationOf(service, query['confirm'] as string);
      if (isFault(confirmation)) return confirmation;
      return body(
        {
          kind: 'confirmation',
          name: confirmation.id,
          what: 'Public proof that an invocation happened.',
          next: [links.receipt(base, confirmation.id)],
        },
        confirmation,
      );
    }
    case 'receipt': {
      const credential = await authenticateReader(service, presented);
      if (isFault(credential)) return credential;
      const receipt = await receiptOf(service, credential, query['receipt'] as string);
      if (isFault(receipt)) return receipt;
      return body(
        {
          kind: 'receipt',
          name: receipt.id,
          what: 'The recorded request and response of one invocation, with its proof.',
          next: [links.confirm(base, receipt.id)],
        },
        receipt,
      );
    }
    case 'explain': {
      const { share } = query;
      if (isFingerprint(share ?? '')) return explainedByName(service, share as string, presented);
      // The share in the address is what is explained, also to the owner.
      const credential = await authenticate(service, share === undefined ? presented : { share });
      if (isFault(credential)) return credential;
      if (credential.kind !== 'share')
        return fault(
          'credential_required',
          'There is no share to explain.',
          'Send explain=1&share= with the token, or with its cap_ fingerprint.',
        );
      const [own] = credential.chain;
      if (own === undefined) throw new Error('a share without a record was authenticated');
      const explained = await explain(await withWorkspaceRows(service, own.record.tenant), own);
      return body(
        {
          kind: 'capability',
          name: credential.fingerprint,
          what: 'What this share may do, and its trail.',
          next: contractsOf(base, explained.verbs),
        },
        explained,
      );
    }
    case 'schema':
      if (query['schema'] !== 'invocation') return readDirectory(service, action, query, presented);
      return body(
        { kind: 'schema', name: 'invocation', what: 'The JSON Schema of a receipt.' },
        { schema: invocationSchema(base) },
      );
    default:
      return readDirectory(service, action, query, presented);
  }
}

/** URLs of the contracts, or of the registry if there are many. */
function contractsOf(base: string, keys: readonly string[]): readonly string[] {
  return keys.length <= 7
    ? keys.map((key) => links.contract(base, key))
    : [`${links.dispatch(base)}?registry=1`];
}

/** Explains a share by its fingerprint; the header authenticates the reader. */
async function explainedByName(
  service: Service,
  fingerprint: string,
  presented: Parameters<typeof authenticate>[1],
): Promise<JsonObject | Fault> {
  const reader = await authenticate(service, presented);
  if (isFault(reader)) return reader;
  // A credential that is over still explains itself; of others it sees what everybody does.
  const isOver = checkExpiry(reader, new Date(service.now()).toISOString()) !== undefined;
  const isOwn = reader.kind === 'share' && reader.fingerprint === fingerprint;
  const viewer = isOver && !isOwn ? ({ kind: 'anonymous' } as const) : reader;
  const explained = await explainNamed(service, viewer, fingerprint);
  if (isFault(explained)) return explained;
  return body(
    { kind: 'capability', name: fingerprint, what: 'What this capability may do, and its trail.' },
    explained,
  );
}

/** Reads the rows of the named workspace, or of the credential's. */
async function readDirectory(
  service: Service,
  action: Exclude<ReadAction, 'confirm' | 'receipt' | 'explain'>,
  query: Query,
  presented: Parameters<typeof authenticate>[1],
): Promise<JsonObject | string | Fault> {
  const { base } = service;
  const place = await directoryOf(service, query, presented);
  if (isFault(place)) return place;
  const { current, tenant, viewer } = place;
  switch (action) {
    case 'key':
      return contractOf(current, tenant, query['key'] as string, query['format']);
    case 'schema':
      return schemasOf(current, query['schema'] as string);
    case 'map':
      return mapOf(current, query['map'] as string, query['format']);
    case 'ask': {
      const question = (query['ask'] as string).trim();
      if (question === '') return invalidParameter('ask', 'The question is empty.', 'Ask in plain words.');
      return body(
        {
          kind: 'answer',
          name: 'ask',
          what: 'Rows and reads that fit a question, best first.',
          next: [`${base}/api/dispatch?map=1`],
        },
        askQuestion({ ...current, viewer }, question),
      );
    }
    case 'build': {
      if (viewer.kind !== 'owner')
        return fault('owner_only', "The build map is the owner's.", 'Send the x-terminal-key header.');
      return body({ kind: 'build', name: 'build', what: 'The whole build as one map.' }, buildMap(current));
    }
    case 'registry': {
      const limit = wholeNumber(query, 'limit', paging.limit);
      if (isFault(limit)) return limit;
      return body(
        { kind: 'registry', name: 'directory', what: 'Every capability, self-describing.' },
        registry(current, { limit, cursor: query['cursor'], workspace: query['workspace'] }),
      );
    }
  }
}

/** The JSON Schemas of a row's input and output. */
function schemasOf(service: Service, name: string): JsonObject | Fault {
  const row = service.rows.get(name);
  if (row === undefined)
    return about(
      fault(
        'not_found',
        `There is no schema ${name.slice(0, 80)}.`,
        'Use schema=invocation for receipts, or the key of a row.',
        { schemas: ['invocation', ...service.rows.keys()] },
      ),
      { kind: 'schema', id: name },
    );
  return body(
    {
      kind: 'schema',
      name: row.key,
      what: `What ${row.key} takes, and the result that it answers with.`,
      next: [links.contract(service.base, row.key)],
    },
    rowSchemas(service, row),
  );
}

/** The protocol map, or one system of it, as JSON, Markdown or a skill. */
function mapOf(service: Service, name: string, format: string | undefined): JsonObject | string | Fault {
  const map = name === '1' ? protocolTree(service) : systemArticle(service, name);
  if (isFault(map)) return map;
  if (format === 'markdown' || format === 'skill') return mapMarkdown(map, format);
  return name === '1'
    ? body({ kind: 'map', name: 'protocol', what: 'Every system of the protocol and its rows.' }, map)
    : body(
        { kind: 'system', name: name.toLowerCase(), what: 'One system of the protocol and its rows.' },
        map,
      );
}

/** The answer to a GET without parameters. */
export function manifest(service: Service): JsonObject {
  const { base } = service;
  const dispatchUrl = links.dispatch(base);
  return body(
    {
      kind: 'manifest',
      name: 'dispatch',
      what: 'One endpoint invokes every capability; each call leaves a receipt.',
      write: dispatchUrl,
      next: [`${base}/start`, `${dispatchUrl}?map=1`, `${dispatchUrl}?registry=1`],
    },
    {
      actions,
      rows: [...service.rows.keys()],
      templates: [
        `${base}/start?slug={slug}`,
        searchTemplate(base),
        `${dispatchUrl}?ask={question}`,
        `${dispatchUrl}?${anyCall}&share={token}`,
        `${dispatchUrl}?key={key}`,
        `${dispatchUrl}?confirm={inv}`,
        `${dispatchUrl}?receipt={inv}&share={token}`,
        `${dispatchUrl}?${anyCall}&repairs={inv}&share={token}`,
        `${dispatchUrl}?replay={inv}&share={token}`,
        `${dispatchUrl}?explain=1&share={token}`,
      ],
    },
  );
}
