// Who may import whom: the table of docs/architecture.md, held by `pnpm lint` and tested in scripts/import-rules.test.ts.

/** Files of `folder` may import ours only from the `allowed` folders (regular expressions from the root). */
const only = (name, folder, allowed) => ({
  name,
  severity: "error",
  from: { path: folder, pathNot: "\\.test\\.ts$|/contract\\.ts$" },
  to: { path: "^(apps|packages|spec)/", pathNot: [folder, ...allowed] },
});

const api = "^apps/api/src";
const always = [`${api}/domain/`, `${api}/errors\\.ts$`, "^packages/types/"];
const ports = `${api}/ports/`;

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    only("types-from-the-spec", "^packages/types/", ["^spec/"]),
    only("client-from-types", "^packages/client/", ["^packages/types/"]),
    only("text-index-alone", "^packages/text-index/", []),
    only("vision-alone", "^packages/vision/", []),
    only("mock-from-the-spec", "^apps/mock/", ["^spec/"]),
    only("contract-tests-from-the-spec", "^apps/contract-tests/", ["^spec/"]),
    only("console-from-the-client", "^apps/console/", ["^packages/client/"]),
    only("domain-is-pure", `${api}/domain/`, always),
    only("ports-state-promises", ports, always),
    {
      name: "features-know-ports-only",
      severity: "error",
      from: { path: `${api}/features/([^/]+)/`, pathNot: "\\.test\\.ts$" },
      to: { path: "^(apps|packages|spec)/", pathNot: [`${api}/features/$1/`, ports, ...always] },
    },
    {
      name: "adapters-know-their-port",
      severity: "error",
      from: { path: `${api}/adapters/([^/]+)/`, pathNot: "\\.test\\.ts$|/contract\\.ts$" },
      to: {
        path: "^(apps|packages|spec)/",
        pathNot: [
          `${api}/adapters/$1/`,
          `${api}/adapters/database/`,
          ports,
          ...always,
          "^packages/(text-index|vision)/",
        ],
      },
    },
    only("http-and-app", `${api}/(http/|app\\.ts$)`, [ports, `${api}/config\\.ts$`, "^spec/", ...always]),
    only("handlers-join", `${api}/handlers\\.ts$`, [
      `${api}/features/`,
      ports,
      `${api}/http/handler\\.ts$`,
      ...always,
    ]),
    {
      name: "only-compose-imports-adapters",
      severity: "error",
      from: { path: api, pathNot: [`${api}/compose`, `${api}/adapters/`, "\\.test\\.ts$"] },
      to: { path: `${api}/adapters/` },
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
