/**
 * OpenTelemetry spans of calls. Only the API is used; it does nothing unless the operator loads an SDK (`--import`).
 * Spans name the row, the receipt, the outcome and the id of the request (contract §2), nothing else of the request.
 */
import { context, createContextKey, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';

const tracer = trace.getTracer('colophon');

const requestIdKey = createContextKey('colophon.request_id');

/** Runs the work of a request; its spans show the id of the request. */
export function tracingRequest<T>(id: string, work: () => T): T {
  return context.with(context.active().setValue(requestIdKey, id), work);
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
  const requestId = context.active().getValue(requestIdKey);
  const span = tracer.startSpan(name, {
    attributes:
      typeof requestId === 'string' ? { ...attributes, 'colophon.request_id': requestId } : attributes,
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
