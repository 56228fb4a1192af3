import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { OutboundHttp, OutboundRequest } from "@product-search/core/ports/outbound-http.ts";

const tracer = trace.getTracer("product-search");

/**
 * A span for each request of a trace, which is sent as `traceparent`. The trace is the present one, or that of a `traceparent`
 * among the headers. The span contains only the host of the URL.
 */
export function traceSend(send: OutboundHttp["send"]): OutboundHttp["send"] {
  return (request, signal) => {
    const { method = "GET", url, headers = {} } = request;
    if (headers.traceparent === undefined && trace.getActiveSpan() === undefined)
      return send(request, signal);
    const parent =
      headers.traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, headers);
    return tracer.startActiveSpan(`HTTP ${method}`, { kind: SpanKind.CLIENT }, parent, async (span) => {
      try {
        const response = await send(withTraceHeaders(request), signal);
        span.setAttribute("http.response.status_code", response.status);
        return response;
      } catch (error) {
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.name : "error",
        });
        throw error;
      } finally {
        if (URL.canParse(url)) span.setAttribute("server.address", new URL(url).hostname);
        span.end();
      }
    });
  };
}

function withTraceHeaders(request: OutboundRequest): OutboundRequest {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return Object.keys(headers).length === 0
    ? request
    : { ...request, headers: { ...request.headers, ...headers } };
}
