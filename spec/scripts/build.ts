// Lints the hand-written document, bundles it to dist/openapi.json and dist/openapi.yaml, and creates the table of
// operations. The three tools run concurrently: together they take about two seconds.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { readBundle } from "./document.ts";
import { operationModule } from "./operation-table.ts";
import { root, runTool } from "./run-tool.ts";

await rm(`${root}dist`, { recursive: true, force: true });
await mkdir(`${root}dist`);
await Promise.all([
  runTool("redocly", ["lint", "openapi.yaml"]),
  runTool("spectral", ["lint", "--ruleset", ".spectral.yaml", "--fail-severity", "hint", "openapi.yaml"]),
  runTool("redocly", ["bundle", "openapi.yaml", "--output", "dist/openapi.json"]),
]);
const document = await readBundle();
await writeFile(
  `${root}dist/openapi.yaml`,
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
);
const { code, types } = operationModule(document);
await writeFile(`${root}dist/operations.js`, code);
await writeFile(`${root}dist/operations.d.ts`, types);
