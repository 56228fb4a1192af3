import { context, propagation, trace } from "@opentelemetry/api";

/** Names the present span, as W3C Trace Context writes it; null when requests are not traced. */
export function activeTraceparent(): string | null {
  if (trace.getActiveSpan() === undefined) return null;
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers.traceparent ?? null;
}
