/**
 * Spans of what a call does, for whoever watches a deployment with OpenTelemetry: the API alone, which does nothing
 * until the operator loads an SDK before the command (`--import`). A span names the row, the receipt and how it ended,
 * and nothing of what was sent.
 */
import { context, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';

const tracer = trace.getTracer('colophon');

/** What is known of a span's work when it is over; `error` is the code of a refusal or a failure. */
export interface Outcome {
  readonly attributes: Attributes;
  readonly error?: string | undefined;
}

/** Does the work inside a span, a child of the one that is active. */
export async function spanning<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  outcomeOf: (result: T) => Outcome,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes });
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
