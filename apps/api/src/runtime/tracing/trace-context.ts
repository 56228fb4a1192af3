import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";

/** The headers of W3C Trace Context, sent to another thread. */
export type TraceHeaders = Record<string, string>;

/** The headers of the current span; undefined if there is none. */
export function activeTraceHeaders(): TraceHeaders | undefined {
  if (trace.getActiveSpan() === undefined) return undefined;
  const headers: TraceHeaders = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Does the work inside the span of another thread. */
export function withinTrace<Result>(headers: TraceHeaders | undefined, work: () => Result): Result {
  if (headers === undefined) return work();
  return context.with(propagation.extract(ROOT_CONTEXT, headers), work);
}
