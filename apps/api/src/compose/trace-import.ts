import { trace } from "@opentelemetry/api";
import { endWith } from "./trace-port.ts";

const tracer = trace.getTracer("product-search");

/** A span for an import. The events of its changes, and so their deliveries, are part of its trace. */
export function traceImport<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  const attributes = { "product_search.source": source };
  return tracer.startActiveSpan("import", { attributes }, (span) => endWith(span, work));
}
