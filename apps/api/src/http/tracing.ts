import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Absent if requests are not traced. */
    traceContext: Context | undefined;
  }
}

/** A span for each request, in the trace that its `traceparent` names. Spans contain no query, header or body. */
export function registerTracing(app: FastifyInstance): void {
  const tracer = trace.getTracer("product-search");
  app.decorateRequest("traceContext", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
    request.traceContext = trace.setSpan(parent, span);
    if (span.isRecording()) reply.raw.once("close", () => end(span, request, reply));
    done();
  });
  // The context is lost while a body is read, so it is restored for the handler.
  app.addHook("preHandler", (request, _reply, done) => {
    context.with(request.traceContext ?? ROOT_CONTEXT, done);
  });
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
