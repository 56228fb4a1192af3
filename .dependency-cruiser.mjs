// Who may import whom: the table of docs/architecture.md. `pnpm lint` and `pnpm test` check it;
// scripts/import-rules.test.ts plants a violation of each rule and compares this table with the documented one.

const api = "^apps/api/src";
const tests = "\\.test\\.ts$|/contract\\.ts$|/contract-[a-z]+\\.ts$";

/** The names of the table, and where they are. */
export const places = {
  spec: "^spec/",
  types: "^packages/types/",
  client: "^packages/client/",
  "text-index": "^packages/text-index/",
  vision: "^packages/vision/",
  "sample-catalog": "^packages/sample-catalog/",
  mock: "^apps/mock/",
  console: "^apps/console/",
  "contract-tests": "^apps/contract-tests/",
  bench: "^apps/bench/",
  domain: `${api}/domain/`,
  errors: `${api}/errors\\.ts$`,
  config: `${api}/config(\\.ts$|/)`,
  ports: `${api}/ports/`,
  features: `${api}/features/`,
  adapters: `${api}/adapters/`,
  http: `${api}/http/`,
  app: `${api}/app\\.ts$`,
  handlers: `${api}/handlers\\.ts$`,
  compose: `${api}/compose/`,
  runtime: `${api}/runtime/`,
  roles: `${api}/runtime/roles/`,
  cli: `${api}/cli/`,
  main: `${api}/main\\.ts$`,
  testing: "^apps/api/testing/",
};

/** Each folder and what it may import beside itself. `docs/architecture.md` shows the same rows. */
export const table = {
  types: ["spec"],
  client: ["types"],
  "sample-catalog": ["types"],
  "text-index": [],
  vision: [],
  "contract-tests": ["spec"],
  mock: [
    "spec",
    "types",
    "sample-catalog",
    "text-index",
    "features",
    "handlers",
    "ports",
    "adapters",
    "domain",
    "errors",
    "http",
  ],
  console: ["client"],
  domain: ["types", "errors"],
  errors: ["types"],
  config: ["domain", "errors"],
  ports: ["domain", "types", "errors"],
  features: ["ports", "domain", "types", "errors"],
  adapters: ["ports", "domain", "types", "errors", "text-index", "vision", "sample-catalog"],
  http: ["ports", "domain", "errors", "config", "types", "spec"],
  app: ["http", "ports", "domain", "errors", "config", "types", "spec"],
  handlers: ["features", "ports", "domain", "types", "errors"],
  compose: [
    "config",
    "errors",
    "adapters",
    "features",
    "handlers",
    "ports",
    "domain",
    "types",
    "text-index",
    "vision",
    "sample-catalog",
  ],
  runtime: ["ports", "errors", "config"],
  roles: [
    "runtime",
    "ports",
    "domain",
    "errors",
    "config",
    "compose",
    "adapters",
    "handlers",
    "http",
    "app",
    "text-index",
  ],
  cli: ["compose", "runtime", "features", "ports", "config", "errors", "domain"],
  main: ["cli", "runtime", "config"],
  testing: [
    "adapters",
    "app",
    "compose",
    "config",
    "domain",
    "errors",
    "features",
    "handlers",
    "http",
    "ports",
    "runtime",
    "sample-catalog",
    "spec",
    "text-index",
    "types",
    "vision",
  ],
  bench: Object.keys(places).filter((name) => name !== "bench"),
};

/** Single files that a row allows beside its folders, each with its reason. */
export const exceptions = {
  // The types of a handler's arguments.
  handlers: [`${api}/http/handler\\.ts$`],
  // One table of letters for addresses and for searches.
  domain: ["^packages/text-index/src/text/fold\\.ts$"],
};

const rules = Object.entries(table).map(([name, allowed]) => ({
  name: `imports-of-${name}`,
  severity: "error",
  from: {
    path: places[name],
    pathNot: [tests, ...(name === "runtime" ? [places.roles] : [])],
  },
  to: {
    path: "^(apps|packages|spec)/",
    pathNot: [places[name], ...allowed.map((one) => places[one]), ...(exceptions[name] ?? [])],
  },
}));

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...rules,
    {
      name: "no-sibling-features",
      severity: "error",
      from: { path: `${api}/features/([^/]+)/`, pathNot: tests },
      to: { path: `${api}/features/`, pathNot: `${api}/features/$1/` },
    },
    {
      name: "no-sibling-adapters",
      severity: "error",
      from: { path: `${api}/adapters/([^/]+)/`, pathNot: tests },
      to: {
        path: `${api}/adapters/`,
        pathNot: [`${api}/adapters/$1/`, `${api}/adapters/database/`, `${api}/adapters/opensearch/`],
      },
    },
    {
      name: "nothing-imports-bench",
      severity: "error",
      from: { pathNot: places.bench },
      to: { path: places.bench },
    },
    {
      name: "only-tests-import-testing",
      severity: "error",
      from: { path: "^(apps|packages)/", pathNot: [tests, "^apps/api/(test|testing)/", places.bench] },
      to: { path: places.testing },
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
