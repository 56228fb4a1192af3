import type { Tasks } from "../support/dispatch.ts";
import { dispatch } from "../support/dispatch.ts";

/** `pnpm eval <name>`. Each evaluation is loaded only when it runs. */
const evaluations: Tasks = {
  deep: {
    summary: "whether deep search reads requests rightly, keeps what it promises and lets no lie pass",
    smoke: ["--json"],
    load: () => import("./eval-deep.ts"),
  },
  engines: {
    summary: "whether OpenSearch and the embedded index reply alike to mixed queries",
    smoke: { needs: "an OpenSearch (--search-url)" },
    load: () => import("./eval-engines.ts"),
  },
  kinds: {
    summary: "whether vague queries find the kinds of product that they mean, and absent things nothing",
    smoke: ["--products", "300", "--half", "tuned"],
    load: () => import("./eval-kinds.ts"),
  },
  queries: {
    summary: "whether hand-written queries find what they ask for, and nothing where there is no such thing",
    smoke: ["--products", "300"],
    load: () => import("./eval-queries.ts"),
  },
  relevance: {
    summary: "how well text search ranks judged queries (WANDS layout), beside SQLite FTS5",
    smoke: { needs: "judged queries (--data)" },
    load: () => import("./eval-relevance.ts"),
  },
  vision: {
    summary:
      "how well images of one product, one class and one original find each other, and objects are found",
    smoke: { needs: "a folder of photographs (--data)" },
    load: () => import("@product-search/vision/bench"),
  },
};

await dispatch("eval", evaluations, process.argv.slice(2));
