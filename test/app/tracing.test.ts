/** Spans as an OpenTelemetry SDK receives them: a provider and a context manager of the test replace the SDK. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  context,
  ROOT_CONTEXT,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanStatus,
} from '@opentelemetry/api';
import type { CallReport } from '../../src/app/service.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

interface ArticleAccess {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  status?: SpanStatus;
  ended: boolean;
}

const access: ArticleAccess[] = [];
const reported: CallReport[] = [];
let deployment: TestDeployment;

function startSpan(name: string, attributes: Attributes): Span {
  const one: ArticleAccess = {
    id: String(access.length + 1).padStart(16, '0'),
    name,
    parent: trace.getSpan(context.active())?.spanContext().spanId,
    attributes: { ...attributes },
    ended: false,
  };
  access.push(one);
  const span: Span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: one.id, traceFlags: 1 }),
    isRecording: () => !one.ended,
    setAttribute: (key, value) => ((one.attributes[key] = value), span),
    setAttributes: (more) => (Object.assign(one.attributes, more), span),
    setStatus: (status) => ((one.status = status), span),
    end: () => void (one.ended = true),
    recordException: () => undefined,
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
  };
  return span;
}

beforeAll(async () => {
  const held = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => held.getStore() ?? ROOT_CONTEXT,
    with: (current, work, self, ...args) => held.run(current, () => work.call(self as never, ...args)),
    bind: (_current, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: (name, options) => startSpan(name, options?.attributes ?? {}),
      startActiveSpan: () => {
        throw new Error('not used');
      },
    }),
  });
  deployment = await openDeployment({
    env: { COLOPHON_TRUST_PROXY: '192.0.2.0/24' },
    onCall: (call) => void reported.push(call),
  });
  await deployment.did('VOXEL_BATCH', {
    document: { slug: 'notes', title: 'Notes', markdown: '# Notes\n\nOne.\n' },
  });
  access.length = 0;
  reported.length = 0;
});

afterAll(async () => {
  trace.disable();
  context.disable();
  await deployment.end();
});

it('A call is a span with row, receipt and outcome, and its effect is a child span', async () => {
  await deployment.call('MIRROR_APPEND', 'notes||question|ada|Is the apricot kept?');
  const { 'colophon.invocation': inv } = (access[0] as ArticleAccess).attributes;
  await deployment.call('OIP_REPLAY', { id: inv });
  await deployment.call('NO_SUCH_ROW', 'apricot');
  const [append, replay, effect, again, unknown] = access;
  expect(append).toMatchObject({
    name: 'colophon.dispatch',
    parent: undefined,
    ended: true,
    attributes: {
      'colophon.row': 'MIRROR_APPEND',
      'colophon.invocation': expect.stringMatching(/^inv_/) as string,
      'colophon.status': 'success',
    },
  });
  expect(append?.status).toBeUndefined();
  expect(effect).toMatchObject({
    name: 'colophon.effect',
    parent: replay?.id,
    ended: true,
    attributes: {
      'colophon.row': 'OIP_REPLAY',
      'colophon.invocation': replay?.attributes['colophon.invocation'],
    },
  });
  expect(again).toMatchObject({ name: 'colophon.dispatch', parent: effect?.id, ended: true });
  expect(unknown).toMatchObject({
    attributes: { 'error.type': 'unknown_key' },
    status: { code: 2 },
    ended: true,
  });
  expect(JSON.stringify(access)).not.toContain('apricot');
});

it('a span of a request shows the id of the answer', async () => {
  access.length = 0;
  const app = deployment.http();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/dispatch',
    headers: { 'x-request-id': 'apricot-0001' },
    payload: { key: 'MIRROR_FEED', body: 'notes' },
  });
  await app.close();
  expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([200, 'apricot-0001']);
  expect(access[0]).toMatchObject({
    name: 'colophon.dispatch',
    attributes: { 'colophon.row': 'MIRROR_FEED', 'colophon.request_id': 'apricot-0001' },
  });
});

const proxysTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${proxysTrace}-00f067aa0ba902b7-01`;

async function feed(remoteAddress: string, headers: Record<string, string>): Promise<string> {
  access.length = 0;
  reported.length = 0;
  const app = deployment.http();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/dispatch',
    headers,
    remoteAddress,
    payload: { key: 'MIRROR_FEED', body: 'notes' },
  });
  await app.close();
  const { invocation } = answer.json<{ invocation: { id: string } }>();
  return invocation.id;
}

it('a trusted proxy’s trace goes on in the span, and the report names receipt, request and trace', async () => {
  const inv = await feed('192.0.2.9', { 'x-request-id': 'apricot-0002', traceparent });
  expect(access[0]).toMatchObject({
    name: 'colophon.dispatch',
    parent: '00f067aa0ba902b7',
    attributes: { 'colophon.request_id': 'apricot-0002', 'colophon.invocation': inv },
  });
  expect(reported).toEqual([
    {
      requestId: 'apricot-0002',
      traceId: '1'.repeat(32),
      inv,
      root: undefined,
      key: 'MIRROR_FEED',
      channel: 'http',
      status: 'success',
      error: undefined,
      repeated: false,
      durationMs: expect.any(Number) as number,
    },
  ]);
});

it.each([
  ['another client', '198.51.100.9', traceparent],
  ['a proxy whose header has another version', '192.0.2.9', traceparent.replace(/^00/, '01')],
  ['a proxy whose trace id is zero', '192.0.2.9', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a proxy whose span id is zero', '192.0.2.9', `00-${proxysTrace}-${'0'.repeat(16)}-01`],
  ['a proxy whose header is longer', '192.0.2.9', `${traceparent}-more`],
  ['a proxy whose header has capitals', '192.0.2.9', traceparent.toUpperCase()],
  ['a proxy whose header has two values', '192.0.2.9', `${traceparent}, ${traceparent}`],
])('a trace named by %s is not continued', async (_who, remoteAddress, given) => {
  await feed(remoteAddress, { traceparent: given });
  expect(access[0]).toMatchObject({ name: 'colophon.dispatch', parent: undefined });
});
