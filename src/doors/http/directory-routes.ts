/**
 * `/api/directory/<KEY>` (spec §4.1, contract §3): reading a row in any of its versions; making and changing one is
 * the dispatch of a row like everything else. A secret's value goes to the keyring and passes no row.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { withRows, rowAtVersion } from '../../app/reads/current-rows.ts';
import { rowMarkdown, wholeRow } from '../../app/reads/directory.ts';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { noRow } from '../../app/reads/no-row.ts';
import { moduleHash } from '../../app/outside/run-module.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { body, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import {
  idempotencyKeyOf,
  isCredentialed,
  presentedBy,
  readObject,
  readQuery,
  wholeNumber,
  countCredential,
  type Query,
} from './requests.ts';
import { declare, declared, readable } from './declare.ts';
import { formatOf, place as placed, words, wholeNumberUpTo } from './parameters.ts';
import { placeOf } from './viewer.ts';

const rowRead = declare({
  id: 'readRow',
  summary: 'The contract of a row: what it does, its arguments, an example, who may call it.',
  tag: 'capabilities',
  caller: 'anybody',
  query: {
    format: formatOf('json', 'markdown', 'skill'),
    version: wholeNumberUpTo(1_000_000, 'the newest without it'),
    ...placed,
  },
  types: ['text/markdown'],
});
const described = { tag: 'capabilities', fixed: ['key'], query: placed } as const;
const rowPut = declare({
  ...described,
  id: 'putRow',
  summary: 'Makes a row, or replaces it.',
  row: 'DIRECTORY_PUT',
});
const rowPatch = declare({
  ...described,
  id: 'patchRow',
  summary: 'Changes the contract of a row: a new version of it.',
  row: 'DIRECTORY_PATCH',
});
const secretPut = declare({
  ...described,
  id: 'putRowSecret',
  summary: 'Keeps a secret that an http row is called with; an empty value forgets it.',
  caller: 'owner',
  body: { value: words('up to 4000 printable ASCII characters; shown nowhere again') },
  required: ['value'],
});

export function directoryRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.get('/api/directory/:key', readable(rowRead), async (request, reply) => {
    const query = readQuery(request, rowRead);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const version =
      query['version'] === undefined ? undefined : wholeNumber(query, 'version', rowRead.query.version);
    if (isFault(version)) return sendProblem(reply, request, base, version);
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const place = await directoryOf(service, query, presented);
    if (isFault(place)) return sendProblem(reply, request, base, countCredential(place, request, intake));
    const read = await contractOf(place.current, place.tenant, keyOf(request), query['format'], version);
    if (isFault(read)) return sendProblem(reply, request, base, read);
    if (isCredentialed(presented))
      void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
    else void reply.header('cache-control', 'public, no-cache');
    return typeof read === 'string'
      ? reply.header('content-type', 'text/markdown; charset=utf-8').send(read)
      : sendJson(reply, read);
  });

  /** Dispatches `key` with the request's own credential. */
  const write = async (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    args: JsonObject,
    after: (tenant: string) => Promise<void> = async () => undefined,
  ): Promise<FastifyReply> => {
    const query = readQuery(request, rowPut);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const presented = presentedBy(request);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const answer = await dispatch(service, {
      key,
      body: canonicalJson(args),
      presented,
      workspace: query['workspace'],
      method: 'POST',
      idempotencyKey: idempotencyKeyOf(request),
      channel: 'http',
      client: intake.address(request),
      meter: intake.meter(request),
    });
    if (!isFault(answer) && answer.kind === 'called' && answer.ran && !answer.repeated) {
      const tenant = await placeOf(service, { kind: 'owner' }, query);
      if (!isFault(tenant)) await after(tenant);
    }
    return sendProtocolAnswer(reply, request, service, answer, intake);
  };

  app.put('/api/directory/:key', declared(rowPut), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    return write(request, reply, 'DIRECTORY_PUT', {
      ...(await pinned(service, object)),
      key: keyOf(request),
    });
  });

  app.patch('/api/directory/:key', declared(rowPatch), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    return write(request, reply, 'DIRECTORY_PATCH', { ...object, key: keyOf(request) });
  });

  app.put('/api/directory/:key/secrets/:name', declared(secretPut), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const value = secretIn(object);
    const query = readQuery(request, secretPut);
    if (isFault(value) || isFault(query))
      return sendProblem(reply, request, base, allWrong('/', query, value) as Fault);
    const key = keyOf(request);
    const { name = '' } = request.params as { readonly name?: string };
    const action = value === '' ? 'forget' : 'set';
    return write(request, reply, 'ROW_SECRET', { key, name, action }, (tenant) =>
      service.rowSecrets.write(tenant, key, name, value),
    );
  });
}

function secretIn({ value, ...rest }: JsonObject): string | Fault {
  if (typeof value === 'string' && Object.keys(rest).length === 0 && /^[\x20-\x7e]{0,4000}$/.test(value))
    return value;
  return fault(
    'invalid_request',
    'A secret is sent as {"value": "…"}, up to 4000 printable ASCII characters.',
    'Send that and nothing else; an empty value forgets the secret.',
    { parameter: 'value' },
  );
}

function keyOf(request: FastifyRequest): string {
  return (request.params as { readonly key: string }).key;
}

/** An fn row is pinned to the file as it lies in the folder now, unless the owner pinned it himself. */
async function pinned(service: Service, object: JsonObject): Promise<JsonObject> {
  const { type, module, module_sha256: given } = object;
  if (type !== 'fn' || typeof module !== 'string' || given !== undefined) return object;
  const hash = await moduleHash(service.moduleFolder, module);
  return hash === undefined ? object : { ...object, module_sha256: hash };
}

/** The directory that a request is about: of the workspace that is named, or the credential's own. */
export async function directoryOf(
  service: Service,
  query: Query,
  presented: Presented,
): Promise<{ readonly viewer: Credential; readonly tenant: string; readonly current: Service } | Fault> {
  const viewer = isCredentialed(presented)
    ? await authenticateReader(service, presented)
    : ({ kind: 'anonymous' } as const);
  if (isFault(viewer)) return viewer;
  const tenant = await placeOf(service, viewer, query);
  return isFault(tenant) ? tenant : { viewer, tenant, current: await withRows(service, tenant) };
}

/** The contract of a row, in one of its versions: JSON, or Markdown by `format`. */
export async function contractOf(
  service: Service,
  tenant: string,
  key: string,
  format: string | undefined,
  version?: number,
): Promise<JsonObject | string | Fault> {
  const standing = service.rows.get(key);
  if (standing === undefined) return noRow(service, key);
  const row = version === undefined ? standing : await rowAtVersion(service, tenant, standing, version);
  if (row === undefined) {
    return fault('not_found', `${key} has no version ${version}.`, 'Read the row without version= first.', {
      current_version: standing.standing?.version ?? 1,
    });
  }
  if (format === 'markdown' || format === 'skill') return rowMarkdown(service, row, format);
  if (format !== undefined && format !== 'json')
    return fault(
      'invalid_request',
      `"${format.slice(0, 40)}" is no format.`,
      'Use json, markdown or skill.',
      { parameter: 'format' },
    );
  return body(
    {
      kind: 'row',
      name: row.key,
      what: row.contract.what,
      read: links.row(service.base, row.key),
      next: [links.contract(service.base, row.key)],
    },
    wholeRow(service, row),
  );
}
