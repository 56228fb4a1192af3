import { trace } from "@opentelemetry/api";
import type { ImportFeedDeps } from "@product-search/features/catalog/import/import-feed.ts";
import type { Config } from "../config.ts";
import { endWith } from "./trace-port.ts";

const tracer = trace.getTracer("product-search");

/** A span for an import. The events of its changes, and so their deliveries, are part of its trace. */
export function createImportTrace({
  tracing,
}: Pick<Config, "tracing">): Required<Pick<ImportFeedDeps, "trace">>["trace"] {
  return (source, work) => {
    if (tracing === undefined || Math.random() >= tracing.ratio) return work();
    const attributes = { "product_search.source": source };
    return tracer.startActiveSpan("import", { attributes }, (span) => endWith(span, work));
  };
}
