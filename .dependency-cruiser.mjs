// Who may import whom: the table of docs/architecture.md. `pnpm lint` and `pnpm test` check it;
// scripts/import-rules.test.ts plants a violation of each rule and compares this table with the documented one.

const api = "^apps/api/src";
const tests =
  "\\.test\\.ts$|/vitest\\.config\\.ts$|/contract-[a-z]+\\.ts$|^packages/[a-z-]+/testing/|^apps/api/(test|testing)/";

/** The names of the table, and where they are. */
export const places = {
  spec: "^spec/",
  types: "^packages/types/",
  client: "^packages/client/",
  instantsearch: "^packages/instantsearch/",
  "text-index": "^packages/text-index/",
  kernels: "^packages/kernels/",
  vision: "^packages/vision/",
  "word-meaning": "^packages/word-meaning/",
  core: "^packages/core/",
  feeds: "^packages/feeds/",
  "sample-catalog": "^packages/sample-catalog/",
  "deep-search": "^packages/deep-search/",
  features: "^packages/features/",
  agents: "^packages/agents/",
  "http-rules": "^packages/http-rules/",
  "outbound-http": "^packages/outbound-http/",
  "text-search": "^packages/text-search/",
  stores: "^packages/stores/",
  opensearch: "^packages/opensearch/",
  marketplaces: "^packages/marketplaces/",
  testing: "^packages/testing/",
  mock: "^apps/mock/",
  console: "^apps/console/",
  storefront: "^apps/storefront/",
  "contract-tests": "^apps/contract-tests/",
  bench: "^apps/bench/",
  config: `${api}/config(\\.ts$|/)`,
  adapters: `${api}/adapters/`,
  http: `${api}/http/`,
  app: `${api}/app\\.ts$`,
  compose: `${api}/compose/`,
  runtime: `${api}/runtime/`,
  roles: `${api}/runtime/roles/`,
  cli: `${api}/cli/`,
  main: `${api}/main\\.ts$`,
};

/** What adapters are made of: `compose` alone chooses among them. */
const implementations = [
  "adapters",
  "deep-search",
  "features",
  "marketplaces",
  "opensearch",
  "outbound-http",
  "sample-catalog",
  "stores",
  "text-index",
  "text-search",
  "vision",
  "word-meaning",
];

/** Each folder and what it may import beside itself. `docs/architecture.md` shows the same rows. */
export const table = {
  types: ["spec"],
  client: ["types"],
  instantsearch: ["types"],
  "text-index": [],
  kernels: [],
  vision: ["kernels"],
  "word-meaning": ["kernels"],
  core: ["text-index", "types"],
  feeds: ["core", "types"],
  "sample-catalog": ["core", "types"],
  "deep-search": ["core", "types"],
  features: ["core", "deep-search", "feeds", "types"],
  agents: ["core", "features", "types"],
  "http-rules": ["core", "features", "spec", "types"],
  "outbound-http": ["core"],
  "text-search": ["core", "text-index", "word-meaning"],
  stores: ["core", "types"],
  opensearch: ["core", "text-index", "text-search", "types"],
  marketplaces: ["core", "types"],
  testing: ["core", "spec", "text-index", "types"],
  "contract-tests": ["spec"],
  mock: [
    "agents",
    "core",
    "deep-search",
    "features",
    "http-rules",
    "sample-catalog",
    "spec",
    "stores",
    "text-index",
    "text-search",
    "types",
  ],
  console: ["client"],
  storefront: ["client", "instantsearch"],
  config: ["core"],
  adapters: ["core", "sample-catalog", "vision"],
  http: ["agents", "config", "core", "features", "http-rules", "spec", "types"],
  app: ["agents", "config", "core", "features", "http", "http-rules", "spec", "types"],
  compose: ["config", "core", ...implementations],
  runtime: ["config", "core"],
  roles: [
    "app",
    "compose",
    "config",
    "core",
    "features",
    "http",
    "http-rules",
    "runtime",
    "stores",
    "text-index",
  ],
  cli: ["compose", "config", "core", "features", "feeds", "http-rules", "runtime", "spec", "types"],
  main: ["cli", "config", "runtime"],
  bench: Object.keys(places).filter((name) => name !== "bench"),
};

// Benchmarks may import everything.
const { bench: _, ...limited } = table;
const rules = Object.entries(limited).map(([name, allowed]) => ({
  name: `imports-of-${name}`,
  severity: "error",
  from: {
    path: places[name],
    pathNot: [tests, ...(name === "runtime" ? [places.roles] : [])],
  },
  to: {
    path: "^(apps|packages|spec)/",
    pathNot: [places[name], ...allowed.map((one) => places[one])],
  },
}));

/** Ours and its folders for tests: what a test may import although its package does not ship it. */
const notShipped = "^(packages/testing|packages/[a-z-]+/testing|apps/api/testing)/";

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...rules,
    {
      name: "no-sibling-features",
      severity: "error",
      from: { path: "^packages/features/src/([^/]+)/", pathNot: tests },
      to: { path: "^packages/features/src/[^/]+/", pathNot: "^packages/features/src/$1/" },
    },
    {
      name: "no-sibling-stores",
      severity: "error",
      from: { path: "^packages/stores/src/([^/]+)/", pathNot: tests },
      to: {
        path: "^packages/stores/src/",
        pathNot: ["^packages/stores/src/$1/", "^packages/stores/src/database/"],
      },
    },
    {
      name: "no-sibling-adapters",
      severity: "error",
      from: { path: `${api}/adapters/([^/]+)/`, pathNot: tests },
      to: { path: `${api}/adapters/`, pathNot: `${api}/adapters/$1/` },
    },
    {
      name: "packages-import-no-app",
      severity: "error",
      from: { path: "^(packages|spec)/" },
      to: { path: "^apps/" },
    },
    {
      name: "apps-import-no-app",
      severity: "error",
      from: { path: "^apps/([^/]+)/", pathNot: places.bench },
      to: { path: "^apps/", pathNot: "^apps/$1/" },
    },
    {
      name: "only-tests-import-testing",
      severity: "error",
      from: { path: "^(apps|packages)/", pathNot: [tests, notShipped, places.bench] },
      to: { path: notShipped },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(node_modules|dist|generated)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "default"],
      extensions: [".ts", ".tsx", ".js", ".json"],
    },
  },
};
