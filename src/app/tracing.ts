/**
 * The request that a call belongs to, and OpenTelemetry spans of calls. Log lines and spans bear the id of the request
 * (contract §2), so that an answer, a receipt, a log line and a trace lead to each other. Of OpenTelemetry only the API
 * is used; it does nothing unless the operator loads an SDK (`--import`). Spans name the row, the receipt, the outcome
 * and the id of the request, nothing else of the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { context, SpanStatusCode, trace, type Attributes, type SpanContext } from '@opentelemetry/api';

const tracer = trace.getTracer('colophon');

export interface TracedRequest {
  readonly id: string;
  /** The span of the proxy that passed the request on (W3C Trace Context). */
  readonly parent?: SpanContext | undefined;
}

const requests = new AsyncLocalStorage<TracedRequest>();

/** Runs the work of a request. Its spans are children of the active span, or else of the proxy's. */
export function tracingRequest<T>(request: TracedRequest, work: () => T): T {
  const { parent } = request;
  const run = (): T => requests.run(request, work);
  return parent === undefined || trace.getActiveSpan() !== undefined
    ? run()
    : context.with(trace.setSpanContext(context.active(), parent), run);
}

/** What a log line says of the request that it belongs to; `traceId` only if the request is part of a trace. */
export function tracedIds(): {
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
} {
  const request = requests.getStore();
  const span = trace.getActiveSpan()?.spanContext() ?? request?.parent;
  return { requestId: request?.id, traceId: span?.traceId };
}

/** Attributes after the work; `error` is the code of a refusal or failure. */
export interface Outcome {
  readonly attributes: Attributes;
  readonly error?: string | undefined;
}

/** Runs the work in a child span of the active one. */
export async function spanning<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  outcomeOf: (result: T) => Outcome,
): Promise<T> {
  const requestId = requests.getStore()?.id;
  const span = tracer.startSpan(name, {
    attributes: requestId === undefined ? attributes : { ...attributes, 'colophon.request_id': requestId },
  });
  if (!span.isRecording()) return work();
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work);
    const { attributes: more, error } = outcomeOf(result);
    span.setAttributes(more);
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    return result;
  } catch (error) {
    span.recordException(error as Error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
