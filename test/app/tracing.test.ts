/** Spans as an SDK of OpenTelemetry would be handed them: a provider and a context manager of our own stand in for one. */
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

const seen: ArticleAccess[] = [];
let deployment: TestDeployment;

function startSpan(name: string, attributes: Attributes): Span {
  const one: ArticleAccess = {
    id: String(seen.length + 1).padStart(16, '0'),
    name,
    parent: trace.getSpan(context.active())?.spanContext().spanId,
    attributes: { ...attributes },
    ended: false,
  };
  seen.push(one);
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
  seen.length = 0;
});

afterAll(async () => {
  trace.disable();
  context.disable();
  await deployment.end();
});

it('A call is a span that names row, receipt and outcome, and what it reaches outside for is one within', async () => {
  await deployment.call('MIRROR_APPEND', 'notes||question|ada|Is the apricot kept?');
  const { 'colophon.invocation': inv } = (seen[0] as ArticleAccess).attributes;
  await deployment.call('OIP_REPLAY', { id: inv });
  await deployment.call('NO_SUCH_ROW', 'apricot');
  const [append, replay, effect, again, unknown] = seen;
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
  expect(JSON.stringify(seen)).not.toContain('apricot');
});
