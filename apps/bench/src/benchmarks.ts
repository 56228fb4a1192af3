import type { Tasks } from "./support/dispatch.ts";

/** `pnpm bench <name>`. Each benchmark is loaded only when it runs. */
export const benchmarks: Tasks = {
  webhooks: {
    summary:
      "events lost or invented under kill -9, deliveries a second, latency, isolation, growth of the store",
    smoke: ["--rate", "20", "--seconds", "1", "--events", "100"],
    load: () => import("./webhooks.ts"),
  },
  marketplace: {
    summary: "live marketplaces: latency added, behaviour while they misbehave, what the cache saves",
    smoke: ["--seconds", "1", "--requests", "20"],
    load: () => import("./marketplace.ts"),
  },
  cluster: {
    summary: "latency and processor time of searches and changes with one, two and three service nodes",
    smoke: { needs: "PostgreSQL and OpenSearch of its own" },
    load: () => import("./cluster.ts"),
  },
  crashes: {
    summary: "what is lost, invented or done twice when processes are killed and stores reopened",
    smoke: ["--kills", "1", "--states", "3"],
    load: () => import("./crashes.ts"),
  },
  frame: {
    summary: "what routes, tokens, limits, validation and serialisation cost beside bare node:http",
    smoke: ["--seconds", "1"],
    load: () => import("./frame.ts"),
  },
  fuzz: {
    summary: "changed feeds, images, requests, index files and HTTP bytes: what is not refused as documented",
    smoke: ["--inputs", "100"],
    load: () => import("./fuzz.ts"),
  },
  hostile: {
    summary: "how long other clients wait while one token sends expensive searches",
    smoke: ["--products", "300", "--seconds", "1"],
    load: () => import("./hostile.ts"),
  },
  import: {
    summary: "products a second from JSON Lines into store and index, and how long other writers wait",
    smoke: ["--products", "500"],
    load: () => import("./import.ts"),
  },
  merchandising: {
    summary: "what counting searches and 1,000 rules cost a search of the catalog, by turns",
    smoke: ["--products", "300", "--turns", "1", "--requests", "50"],
    load: () => import("./merchandising.ts"),
  },
  "paused-leader": {
    summary: "what a node changes in OpenSearch after it was paused for 30 s while it built an index",
    smoke: { needs: "PostgreSQL and OpenSearch of its own" },
    load: () => import("./paused-leader.ts"),
  },
  tracing: {
    summary: "what tracing adds to the processor time of a request, in pairs by turns",
    smoke: ["--pairs", "1", "--requests", "50", "--warm-up", "500"],
    load: () => import("./tracing.ts"),
  },
  "similarity-floor": {
    summary: "where image search cuts off: what each floor lets through, and what it loses, on photographs",
    smoke: { needs: "folders of photographs (--data)" },
    load: () => import("./evaluations/similarity-floor.ts"),
  },
  vectorize: {
    summary: "images vectorised a second, what that does to text search, start with the sample, memory",
    smoke: { needs: "a folder of images (--data)" },
    load: () => import("./vectorize.ts"),
  },
  "vision-index": {
    summary: "recall, latency, build and memory of the vector index beside exact search",
    smoke: ["--sizes", "500", "--queries", "10"],
    load: () => import("./vision-index.ts"),
  },
  updates: {
    summary: "how soon changes are found on every thread, and what that does to the latency of searches",
    smoke: ["--products", "300", "--batch", "10", "--seconds", "1", "--turn-seconds", "2"],
    load: () => import("./updates.ts"),
  },
  deep: {
    summary: "how fast deep search responses without a model, and with one that hangs",
    smoke: ["--products", "300", "--seconds", "1"],
    load: () => import("./deep.ts"),
  },
  suggest: {
    summary: "suggestions after each letter, in process and over HTTP, at any size",
    smoke: ["--products", "300", "--people", "5"],
    load: () => import("./suggest.ts"),
  },
  facets: {
    summary: "searches with all facets beside the same searches without, at any size",
    smoke: ["--products", "300", "--queries", "10"],
    load: () => import("./facets.ts"),
  },
  text: {
    summary: "text search in process and over HTTP beside SQLite FTS5, at any size",
    smoke: ["--products", "300", "--queries", "10", "--seconds", "1"],
    load: () => import("./text.ts"),
  },
  grow: {
    summary: "how the figures of the text index grow with the catalog, as a table and as charts",
    smoke: ["--sizes", "300,600", "--queries", "10", "--seconds", "1"],
    load: () => import("./grow.ts"),
  },
};
