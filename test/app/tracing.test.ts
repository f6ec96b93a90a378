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
  deployment = await openDeployment();
  await deployment.did('VOXEL_BATCH', {
    document: { slug: 'notes', title: 'Notes', markdown: '# Notes\n\nOne.\n' },
  });
  access.length = 0;
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
