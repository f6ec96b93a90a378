/**
 * `/api/proven-work` (spec §4.2, contract §7): what anybody can inspect, what others found, and a POST that records
 * an inspection. Certifying is dispatched as the row PROOF_CERTIFY.
 */
import type { FastifyInstance } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { listCertificates } from '../../app/reads/certificates.ts';
import { provenWork } from '../../app/reads/entry.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { body, sendProblem, sendTagged } from './envelope.ts';
import type { Intake } from './intake.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import {
  idempotencyKeyOf,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
} from './requests.ts';
import { declare, declared, readable } from './declare.ts';
import { choice, paged, place, words, wholeNumberUpTo } from './parameters.ts';
import { placeOf, readAt, viewerOf } from './viewer.ts';
import { schemaLink } from './schema-routes.ts';

const path = '/api/proven-work';

const inspection = declare({
  id: 'readProvenWork',
  summary: 'What can be inspected before it is believed; with target, who inspected it.',
  tag: 'landscape',
  caller: 'anybody',
  query: { target: words('a slug, or the id of an invocation or assignment'), ...paged, ...place },
  rules: ({ target, cursor }) => [target === undefined ? placeIn(cursor) : undefined],
  answers: ['proven-work', 'certificates'],
});
const certification = declare({
  id: 'certify',
  summary: 'Records who inspected a proof and what it came to.',
  tag: 'landscape',
  row: 'PROOF_CERTIFY',
  body: { action: choice(['certify'], 'certify without it') },
  query: place,
});

export function proofRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  app.get(path, readable(inspection), async (request, reply) => {
    const query = readQuery(request, inspection);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const { target } = query;
    const tenant = await placeOf(service, viewer, query, target);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const limit = wholeNumber(query, 'limit', inspection.query.limit);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    if (target === undefined) {
      const after = query['cursor'] ?? '';
      const self = {
        kind: 'proof',
        name: 'proven-work',
        what: 'Objects whose chains, receipts and proofs anybody can inspect.',
        read: readAt(base + path, query),
        write: base + path,
        schema: schemaLink(base, 'proven-work'),
      };
      return sendTagged(request, reply, body(self, await provenWork(service, tenant, limit, after)));
    }
    const before = query['cursor'] === undefined ? undefined : wholeNumber(query, 'cursor', indexCursor);
    if (isFault(before)) return sendProblem(reply, request, base, before);
    const found = await listCertificates(service, tenant, target, limit, before);
    if (isFault(found)) return sendProblem(reply, request, base, found);
    const self = {
      kind: 'certificates',
      name: target,
      what: 'Who inspected this proof and what it came to. Their words are untrusted.',
      read: links.certificates(base, target),
      write: base + path,
      schema: schemaLink(base, 'certificates'),
    };
    return sendTagged(request, reply, body(self, found));
  });

  app.post(path, declared(certification), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const query = readQuery(request, certification);
    const token = stringMember(object, 'key');
    const { action = 'certify', key: _token, ...args } = object;
    const other = action === 'certify' ? undefined : otherAction;
    if (isFault(query) || isFault(token) || other !== undefined)
      return sendProblem(reply, request, base, allWrong('/', query, token, other) as Fault);
    const presented = presentedBy(request, token);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    const text = canonicalJson(args);
    const { workspace } = query;
    const answer = await dispatch(service, {
      key: 'PROOF_CERTIFY',
      body: text,
      presented,
      workspace,
      method: 'POST',
      idempotencyKey: idempotencyKeyOf(request),
      channel: 'http',
      client: intake.address(request),
      meter: intake.meter(request),
    });
    return sendProtocolAnswer(reply, request, service, answer, intake);
  });
}

const otherAction = fault(
  'invalid_request',
  '"action" names nothing that can be done here.',
  'Send action certify.',
  { parameter: 'action' },
);

/** Certificates are paged by their place in the log. */
const indexCursor = wholeNumberUpTo(Number.MAX_SAFE_INTEGER, 'a place in the log');

function placeIn(cursor = ''): Fault | undefined {
  if (/^[a-z0-9-]{0,120}$/.test(cursor)) return undefined;
  return fault('invalid_request', '"cursor" is none that this list has given.', 'Follow next as it stands.', {
    parameter: 'cursor',
  });
}
