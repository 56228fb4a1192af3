import { dispatch, type Tasks } from "./support/dispatch.ts";

/** `pnpm bench <name>`. Each benchmark is loaded only when it runs. */
const benchmarks: Tasks = {
  webhooks: {
    summary: "deliveries a second, latency, isolation, growth of the store",
    smoke: ["--rate", "20", "--seconds", "1", "--events", "100"],
    load: () => import("./webhooks.ts"),
  },
  cluster: {
    summary: "latency and processor time of searches and changes with one, two and three service nodes",
    smoke: { needs: "PostgreSQL and OpenSearch of its own" },
    load: () => import("./cluster.ts"),
  },
  frame: {
    summary: "what routes, tokens, limits, validation and serialisation cost beside bare node:http",
    smoke: ["--seconds", "1"],
    load: () => import("./frame.ts"),
  },
  hostile: {
    summary: "a search for the dearest requests, and how long others wait while one client sends them",
    smoke: ["--products", "300", "--draws", "1", "--seconds", "1", "--back", "1"],
    load: () => import("./hostile.ts"),
  },
  import: {
    summary: "products a second from JSON Lines into store and index, and how long other writers wait",
    smoke: ["--products", "500"],
    load: () => import("./import.ts"),
  },
  deep: {
    summary: "how fast deep search responses without a model, and with one that hangs",
    smoke: ["--products", "300", "--seconds", "1"],
    load: () => import("./deep.ts"),
  },
  servers: {
    summary: "searches over HTTP beside Meilisearch and OpenSearch: speed, memory, disk, import",
    smoke: ["--products", "300", "--queries", "10", "--seconds", "1"],
    load: () => import("./servers.ts"),
  },
  text: {
    summary: "text search in process and over HTTP beside SQLite FTS5, at any size",
    smoke: ["--products", "300", "--queries", "10", "--seconds", "1"],
    load: () => import("./text.ts"),
  },
};

await dispatch("bench", benchmarks, process.argv.slice(2));
