import { type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { Ports } from "@product-search/features/handlers.ts";
import type { Config } from "../config.ts";

/**
 * Adds spans for calls to the indexes, the database, the marketplaces and the models. Without tracing, the same
 * ports.
 */
export function tracePorts({ tracing }: Pick<Config, "tracing">, ports: Ports): Ports {
  if (tracing === undefined) return ports;
  const { marketplaceSources, modelWriter } = ports;
  return {
    ...ports,
    textSearch: tracePort("index.text", ports.textSearch),
    vectorSearch: tracePort("index.vectors", ports.vectorSearch),
    catalogStore: tracePort("store.catalog", ports.catalogStore),
    catalogWrites: tracePort("store.catalog", ports.catalogWrites),
    productImageStore: tracePort("store.product_images", ports.productImageStore),
    uploadedImageStore: tracePort("store.uploaded_images", ports.uploadedImageStore),
    insightStore: tracePort("store.insights", ports.insightStore),
    ruleStore: tracePort("store.rules", ports.ruleStore),
    synonymEditor: tracePort("store.synonyms", ports.synonymEditor),
    webhookStore: tracePort("store.webhooks", ports.webhookStore),
    visionModel: tracePort("model.vision", ports.visionModel),
    builtInWriter: tracePort("writer.built_in", ports.builtInWriter),
    marketplaceSources: recordOf(marketplaces, (one) => tracePort(one, marketplaceSources[one])),
    ...(modelWriter !== undefined && { modelWriter: tracePort("model.language", modelWriter) }),
  };
}

const tracer = trace.getTracer("product-search");

/**
 * The same port with a span `name.method` for each call inside the current span. Without a span, nothing is recorded.
 */
export function tracePort<Port extends object>(name: string, port: Port): Port {
  return wrapCalls(port, (method, call) => {
    if (!trace.getActiveSpan()?.isRecording()) return call();
    return tracer.startActiveSpan(`${name}.${method}`, (span) => endWith(span, call));
  });
}

/** The same port, each call of which is made, and may be changed, by `wrap`. */
export function wrapCalls<Port extends object>(
  port: Port,
  wrap: (method: string, call: () => unknown) => unknown,
): Port {
  const wrapped = new Map<PropertyKey, unknown>();
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (!isCallable(value)) return value;
      if (!wrapped.has(key))
        wrapped.set(key, (...input: unknown[]) =>
          wrap(String(key), () => Reflect.apply(value, target, input)),
        );
      return wrapped.get(key);
    },
  });
}

function isCallable(value: unknown): value is (...input: unknown[]) => unknown {
  return typeof value === "function";
}

/** Ends the span when the result is available: at once, when a promise settles, or when a stream ends. */
export function endWith<Result>(span: Span, work: () => Promise<Result>): Promise<Result>;
export function endWith(span: Span, work: () => unknown): unknown;
export function endWith(span: Span, work: () => unknown): unknown {
  const fail = (error: unknown): never => {
    // Only the kind of error is recorded, because the message may contain what a client sent.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : "error" });
    span.end();
    throw error;
  };
  const succeed = <Value>(value: Value): Value => {
    span.end();
    return value;
  };
  try {
    const result = work();
    if (result instanceof Promise) return result.then(succeed, fail);
    if (isStream(result)) return endWithStream(result, succeed, fail);
    return succeed(result);
  } catch (error) {
    return fail(error);
  }
}

async function* endWithStream(
  stream: AsyncIterable<unknown>,
  succeed: (value: undefined) => undefined,
  fail: (error: unknown) => never,
): AsyncGenerator<unknown> {
  let hasFailed = false;
  try {
    yield* stream;
  } catch (error) {
    hasFailed = true;
    fail(error);
  } finally {
    // Also when the reader stops before the end.
    if (!hasFailed) succeed(undefined);
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
