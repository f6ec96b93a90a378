/**
 * Reads of single records: results by their hash (`/blobs/<sha256>`, contract §3), the calls of a row
 * (`/api/invocations`, spec §4.1) and the owner's API keys (`/api/keys`, contract §4).
 */
import { fault, isFault } from '../../kernel/fault.ts';
import { mediaTypeOf } from '../../represent/media-type.ts';
import { mediaReply } from './replies.ts';
import { route, resolveTenant } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { invocationFaults, listInvocations } from '../../app/reads/directory.ts';
import { body, withShareInNext, privateCache } from './envelope.ts';
import { paging, workspaceAndShare, stringParam, workspace } from './parameters.ts';
import { schemaLink } from './schema-routes.ts';
import { listKeys } from '../../app/credentials/explain.ts';
import { links } from '../../domain/links.ts';

export function blobRoutes(server: RouteServer): void {
  route(
    server,
    {
      get: '/blobs/:sha256',
      id: 'readBlob',
      summary: 'A result by its hash, as the bytes it has.',
      tag: 'capabilities',
      caller: 'none',
      limit: 'read',
      query: {},
      json: false,
      types: ['application/octet-stream', 'image/*', 'video/mp4'],
      cache: 'public, max-age=31536000, immutable',
    },
    async ({ params: { sha256 = '' } }) => {
      const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await server.service.store.blobs.get(sha256) : undefined;
      if (bytes === undefined)
        return fault(
          'not_found',
          'There is no such result.',
          'Take the address from the receipt as it stands.',
        );
      const type = mediaTypeOf(bytes);
      const name = `${sha256.slice(0, 16)}.${type === undefined ? 'bin' : (type.split('/')[1] as string)}`;
      return mediaReply(
        type ?? 'application/octet-stream',
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        {
          'content-disposition': `${type === undefined ? 'attachment' : 'inline'}; filename="${name}"`,
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
          etag: `"${sha256}"`,
        },
      );
    },
  );
}

export function invocationRoutes(server: RouteServer): void {
  const { service } = server;
  route(
    server,
    {
      get: '/api/invocations',
      id: 'listInvocations',
      summary: 'Invocations of a row, newest first; bodies only for who may read the receipts.',
      tag: 'capabilities',
      caller: 'optional',
      tenant: true,
      query: {
        object_id: stringParam('the key of a row'),
        status: stringParam('success, failure, or one status of a receipt'),
        ...paging,
        ...workspaceAndShare,
      },
      needed: ['object_id'],
      answers: ['calls'],
      rules: ({ status, cursor }) => invocationFaults({ status, cursor }),
      cache: privateCache,
    },
    async ({ request, query, reading, tenant, number }) => {
      const { object_id: key, status, cursor } = query;
      const filter = { workspace: query['workspace'], key, status, limit: number('limit'), cursor };
      const list = await listInvocations(
        { ...reading, ...(await withWorkspaceRows(service, tenant)) },
        filter,
      );
      if (isFault(list)) return list;
      const self = {
        kind: 'list',
        name: 'invocations',
        what: 'Invocations of a row, newest first.',
        schema: schemaLink(service.base, 'calls'),
      };
      return withShareInNext(request, body(self, list));
    },
  );
}

export function keyRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;
  route(
    server,
    {
      get: '/api/keys',
      id: 'listKeys',
      summary: 'API keys by fingerprint.',
      tag: 'capabilities',
      caller: 'owner',
      query: { workspace },
      answers: ['Keys'],
      head: 'none',
      cache: privateCache,
    },
    async ({ viewer, query }) => {
      if (viewer.kind !== 'owner')
        return fault('owner_only', "The list of keys is the owner's.", 'Send the x-terminal-key header.');
      const tenant = await resolveTenant(service, viewer, query);
      if (isFault(tenant)) return tenant;
      const self = {
        kind: 'list',
        name: 'keys',
        what: 'API keys by fingerprint.',
        next: [links.contract(base, 'KEY_MINT')],
      };
      return body(self, await listKeys(service, tenant));
    },
  );
}
