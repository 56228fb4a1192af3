import type { DeepSearchEvent as PublishedEvent } from "@product-search/types";

/** An event of the stream as the feature makes it; errors are added by the frame. */
export type DeepSearchEvent = Exclude<PublishedEvent, { type: "error" }>;
export type DoneEvent = Extract<DeepSearchEvent, { type: "done" }>;
export type WriterName = DoneEvent["writer"];
