import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { agentAddresses } from "@product-search/agents/ucp-versions.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TracingSettings } from "../config/setting-values.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined if the request is not traced. */
    traceContext: Context | undefined;
  }
}

/**
 * A span for the given fraction of the requests to operations, in the trace that their `traceparent` names. Spans contain no query, header or
 * body.
 */
export function registerTracing(app: FastifyInstance, { ratio }: Pick<TracingSettings, "ratio">): void {
  const tracer = trace.getTracer("product-search");
  app.decorateRequest("traceContext", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    // Not health checks, metrics and pages.
    const { url = "" } = request.routeOptions;
    const isTraced = request.url.startsWith(basePath) || agentAddresses.has(url);
    const parent = isTraced ? readParent(request, ratio) : undefined;
    if (parent === undefined) {
      done();
      return;
    }
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
    request.traceContext = trace.setSpan(parent, span);
    if (span.isRecording()) reply.raw.once("close", () => end(span, request, reply));
    done();
  });
  // The context is lost while a body is read, so it is restored for the handler.
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.traceContext === undefined) done();
    else context.with(request.traceContext, done);
  });
}

/**
 * The context for the span of a request; undefined if there is none, so that most requests cost next to nothing. The
 * caller's `traceparent` sets the trace, but not how many are recorded: services with one fraction record the same traces.
 */
function readParent(request: FastifyRequest, ratio: number): Context | undefined {
  const parent =
    request.headers.traceparent === undefined
      ? ROOT_CONTEXT
      : propagation.extract(ROOT_CONTEXT, request.headers);
  const caller = trace.getSpanContext(parent);
  if (caller === undefined) return Math.random() < ratio ? parent : undefined;
  const share = Number.parseInt(caller.traceId.slice(-8), 16) / 2 ** 32;
  if (share < ratio) return parent;
  return trace.setSpanContext(parent, { ...caller, traceFlags: TraceFlags.NONE });
}

function end(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.operation?.operationId;
  const route = request.routeOptions.url;
  span.updateName(operation ?? `${request.method} ${route ?? "unknown"}`);
  span.setAttributes({
    "http.request.method": request.method,
    "http.response.status_code": reply.statusCode,
    ...(route !== undefined && { "http.route": route }),
    "product_search.request_id": request.id,
  });
  if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
