import type { Tasks } from "../support/dispatch.ts";

/** `pnpm eval <name>`. Each evaluation is loaded only when it runs. */
export const evaluations: Tasks = {
  alike: {
    summary:
      "how much of what image search returns is of the query's kind, and how much of that kind it returns",
    load: () => import("./eval-alike.ts"),
  },
  answers: {
    summary: "prints the answers of deep search to sixty requests, for a reader to judge",
    load: () => import("./eval-answers.ts"),
  },
  deep: {
    summary: "whether deep search reads requests rightly, keeps what it promises and lets no lie pass",
    load: () => import("./eval-deep.ts"),
  },
  engines: {
    summary: "whether OpenSearch and the embedded index reply alike to mixed queries",
    load: () => import("./eval-engines.ts"),
  },
  names: {
    summary: "how well the confidence of named objects is calibrated",
    load: () => import("./eval-names.ts"),
  },
  queries: {
    summary: "whether hand-written queries find what they ask for, and nothing where there is no such thing",
    load: () => import("./eval-queries.ts"),
  },
  relevance: {
    summary: "how well text search ranks judged queries (WANDS layout), beside SQLite FTS5",
    load: () => import("./eval-relevance.ts"),
  },
  vision: {
    summary:
      "how well images of one product, one class and one original find each other, and objects are found",
    load: () => import("@product-search/vision/bench"),
  },
};
