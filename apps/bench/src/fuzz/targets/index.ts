import type { FuzzTarget } from "../run-target.ts";
import { createFeedTarget } from "./feeds.ts";
import { createHttpTarget } from "./http-frame.ts";
import { createImageTarget } from "./images.ts";
import { createIndexFileTarget } from "./index-files.ts";
import { createRequestTarget } from "./requests.ts";

interface NamedTarget {
  /** The share of the run's inputs: slow targets get fewer. */
  share: number;
  open(): FuzzTarget | Promise<FuzzTarget>;
}

export const fuzzTargets: Readonly<Record<string, NamedTarget>> = {
  feeds: { share: 0.4, open: createFeedTarget },
  images: { share: 0.05, open: createImageTarget },
  requests: { share: 0.15, open: createRequestTarget },
  "index-files": { share: 0.2, open: createIndexFileTarget },
  http: { share: 0.2, open: createHttpTarget },
};
