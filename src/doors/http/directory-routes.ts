/**
 * `/api/directory/<KEY>` (spec §4.1, contract §3): reads a row in any of its versions; creating and changing rows
 * dispatches a row. The value of a secret is stored in the keyring and not passed to a row.
 */
import { withWorkspaceRows, rowAtVersion } from '../../app/workspace-rows.ts';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import { moduleHash } from '../../app/outside/run-module.ts';
import { rowMarkdown, wholeRow } from '../../app/reads/directory.ts';
import { unknownRow } from '../../app/reads/unknown-row.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { links } from '../../domain/links.ts';
import { about, fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { callOf, callRow, rowAnswer } from './call-row.ts';
import { body } from './envelope.ts';
import { formatOf, workspaceAndShare as placed, stringParam, wholeNumberUpTo } from './parameters.ts';
import { isCredentialed, type Query } from './requests.ts';
import { mediaReply } from './replies.ts';
import { resolveTenant, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';

/** The path names the row, so `key` in a body is an argument. */
const described = { tag: 'capabilities', fixed: ['key'], query: placed } as const;

export function directoryRoutes(server: RouteServer): void {
  const { service } = server;

  route(
    server,
    {
      get: '/api/directory/:key',
      id: 'readRow',
      summary: 'The contract of a row: what it does, its arguments, an example, who may call it.',
      tag: 'capabilities',
      caller: 'optional',
      tenant: true,
      query: {
        format: formatOf('json', 'markdown', 'skill'),
        version: wholeNumberUpTo(1_000_000, 'the newest without it'),
        ...placed,
      },
      answers: ['Row'],
      types: ['text/markdown'],
      cache: 'public, no-cache',
      etag: true,
    },
    async ({ query: { format, version: requestedVersion }, params: { key = '' }, tenant, number }) => {
      const version = requestedVersion === undefined ? undefined : number('version');
      const read = await contractOf(await withWorkspaceRows(service, tenant), tenant, key, format, version);
      return typeof read === 'string' ? mediaReply('text/markdown; charset=utf-8', read) : read;
    },
  );

  route(
    server,
    {
      ...described,
      put: '/api/directory/:key',
      id: 'putRow',
      summary: 'Makes a row, or replaces it.',
      row: 'DIRECTORY_PUT',
    },
    async (context) =>
      callRow(server, context, 'DIRECTORY_PUT', {
        ...(await withModuleHash(service, context.args)),
        key: context.params['key'] ?? '',
      }),
  );

  route(
    server,
    {
      ...described,
      patch: '/api/directory/:key',
      id: 'patchRow',
      summary: 'Changes the contract of a row: a new version of it.',
      row: 'DIRECTORY_PATCH',
    },
    (context) =>
      callRow(server, context, 'DIRECTORY_PATCH', { ...context.args, key: context.params['key'] ?? '' }),
  );

  route(
    server,
    {
      ...described,
      put: '/api/directory/:key/secrets/:name',
      id: 'putRowSecret',
      summary: 'Keeps a secret that an http row is called with; an empty value forgets it.',
      caller: 'owner',
      results: ['ROW_SECRET'],
      body: { value: stringParam('up to 4000 printable ASCII characters; shown nowhere again') },
      required: ['value'],
      bodyRules: (object) => [secretIn(object)],
    },
    async (context) => {
      const { key = '', name = '' } = context.params;
      const value = secretIn(context.args) as string;
      const args = { key, name, action: value === '' ? 'forget' : 'set' };
      const call = { ...callOf(server, context), key: 'ROW_SECRET', body: canonicalJson(args) };
      const answer = await dispatch(service, call);
      if (!isFault(answer) && answer.kind === 'called' && answer.ran && !answer.repeated) {
        const tenant = await resolveTenant(service, { kind: 'owner' }, context.query);
        if (!isFault(tenant)) await service.rowSecrets.write(tenant, key, name, value);
      }
      return rowAnswer(server, context, answer);
    },
  );
}

function secretIn({ value, ...rest }: JsonObject): string | Fault {
  if (typeof value === 'string' && Object.keys(rest).length === 0 && /^[\x20-\x7e]{0,4000}$/.test(value))
    return value;
  return invalidParameter(
    'value',
    'A secret is sent as {"value": "…"}, up to 4000 printable ASCII characters.',
    'Send that and nothing else; an empty value forgets the secret.',
  );
}

/** Adds the current hash of the module of an fn row, unless the owner sent one. */
async function withModuleHash(service: Service, object: JsonObject): Promise<JsonObject> {
  const { type, module, module_sha256: given } = object;
  if (type !== 'fn' || typeof module !== 'string' || given !== undefined) return object;
  const hash = await moduleHash(service.moduleFolder, module);
  return hash === undefined ? object : { ...object, module_sha256: hash };
}

/** The directory of the named workspace, or of the credential's. */
export async function directoryOf(
  service: Service,
  query: Query,
  presented: Presented,
): Promise<{ readonly viewer: Credential; readonly tenant: string; readonly current: Service } | Fault> {
  const viewer = isCredentialed(presented)
    ? await authenticateReader(service, presented)
    : ({ kind: 'anonymous' } as const);
  if (isFault(viewer)) return viewer;
  const tenant = await resolveTenant(service, viewer, query);
  return isFault(tenant) ? tenant : { viewer, tenant, current: await withWorkspaceRows(service, tenant) };
}

/** The contract of a row in one of its versions, as JSON or Markdown. */
export async function contractOf(
  service: Service,
  tenant: string,
  key: string,
  format: string | undefined,
  version?: number,
): Promise<JsonObject | string | Fault> {
  const current = service.rows.get(key);
  if (current === undefined) return unknownRow(service, key);
  const row = version === undefined ? current : await rowAtVersion(service, tenant, current, version);
  if (row === undefined) {
    return about(
      fault('not_found', `${key} has no version ${version}.`, 'Read the row without version= first.', {
        current_version: current.rowOverride?.version ?? 1,
      }),
      { kind: 'row', id: key },
    );
  }
  if (format === 'markdown' || format === 'skill') return rowMarkdown(service, row, format);
  if (format !== undefined && format !== 'json')
    return invalidParameter(
      'format',
      `"${format.slice(0, 40)}" is no format.`,
      'Use json, markdown or skill.',
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
