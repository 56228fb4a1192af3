import type { DeepSearchEvent as PublishedEvent } from "@product-search/types";

/** An event of the stream. The HTTP layer adds error events. */
export type DeepSearchEvent = Exclude<PublishedEvent, { type: "error" }>;
export type DoneEvent = Extract<DeepSearchEvent, { type: "done" }>;
export type WriterName = DoneEvent["writer"];
