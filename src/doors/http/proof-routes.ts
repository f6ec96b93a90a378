/**
 * `/api/proven-work` (spec §4.2, contract §7): what can be inspected, what inspections found, and a POST that
 * records an inspection with the row PROOF_CERTIFY.
 */
import { listCertificates } from '../../app/reads/certificates.ts';
import { provenWork } from '../../app/reads/entry.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { callRow } from './call-row.ts';
import { body, bodyOr } from './envelope.ts';
import { choice, paging, workspaceAndShare, stringParam, wholeNumberUpTo } from './parameters.ts';
import { wholeNumber } from './requests.ts';
import { listUrl, route, type RouteServer } from './route.ts';
import { schemaLink } from './schema-routes.ts';

const path = '/api/proven-work';

export function proofRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;

  route(
    server,
    {
      get: path,
      id: 'readProvenWork',
      summary: 'What can be inspected before it is believed; with target, who inspected it.',
      tag: 'landscape',
      caller: 'anybody',
      limit: 'read',
      tenant: 'target',
      query: {
        target: stringParam('a slug, or the id of an invocation or assignment'),
        ...paging,
        ...workspaceAndShare,
      },
      rules: ({ target, cursor }) => [target === undefined ? cursorFault(cursor) : undefined],
      answers: ['proven-work', 'certificates'],
      etag: true,
    },
    async ({ query, tenant, number }) => {
      const { target, cursor } = query;
      const limit = number('limit');
      if (target === undefined) {
        const self = {
          kind: 'proof',
          name: 'proven-work',
          what: 'Objects whose chains, receipts and proofs anybody can inspect.',
          read: listUrl(base + path, query),
          write: base + path,
          schema: schemaLink(base, 'proven-work'),
        };
        return body(self, await provenWork(service, tenant, limit, cursor ?? ''));
      }
      const before = cursor === undefined ? undefined : wholeNumber(query, 'cursor', indexCursor);
      if (isFault(before)) return before;
      const self = {
        kind: 'certificates',
        name: target,
        what: 'Who inspected this proof and what it came to. Their words are untrusted.',
        read: links.certificates(base, target),
        write: base + path,
        schema: schemaLink(base, 'certificates'),
      };
      return bodyOr(self, await listCertificates(service, tenant, target, limit, before));
    },
  );

  route(
    server,
    {
      post: path,
      id: 'certify',
      summary: 'Records who inspected a proof and what it came to.',
      tag: 'landscape',
      row: 'PROOF_CERTIFY',
      body: { action: choice(['certify'], 'certify without it') },
      query: workspaceAndShare,
      bodyRules: ({ action = 'certify' }) => [action === 'certify' ? undefined : otherAction],
    },
    (context) => {
      const { action: _action, ...args } = context.args;
      return callRow(server, context, 'PROOF_CERTIFY', args);
    },
  );
}

const otherAction = fault(
  'invalid_request',
  '"action" names nothing that can be done here.',
  'Send action certify.',
  { parameter: 'action' },
);

/** Certificates are paged by log index. */
const indexCursor = wholeNumberUpTo(Number.MAX_SAFE_INTEGER, 'a place in the log');

function cursorFault(cursor = ''): Fault | undefined {
  if (/^[a-z0-9-]{0,120}$/.test(cursor)) return undefined;
  return fault('invalid_request', '"cursor" is none that this list has given.', 'Follow next as it stands.', {
    parameter: 'cursor',
  });
}
