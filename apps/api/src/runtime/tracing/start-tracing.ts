import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Config } from "../../config.ts";

/**
 * Sends the spans of this thread to a collector, by OTLP over HTTP. The SDK is loaded only here: without it, the
 * calls of the API do nothing. The returned function sends what is left.
 */
export async function startTracing(
  settings: NonNullable<Config["tracing"]>,
  thread: string,
): Promise<() => Promise<void>> {
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, core, { resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/core"),
      import("@opentelemetry/resources"),
    ]);
  const { endpoint, headers, serviceName } = settings;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "thread.name": thread }),
    // What is recorded is decided where a request or an import begins, before there is a span.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

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
