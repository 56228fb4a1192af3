// Lints the hand-written document with Redocly, bundles it to dist/openapi.json and dist/openapi.yaml, and creates the
// table of operations. Our own rules, in .spectral.yaml, are part of `check`: `pnpm start` does not install Spectral.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { readBundle } from "./document.ts";
import { toOpenApi31 } from "./openapi-3.1.ts";
import { operationModule } from "./operation-table.ts";
import { redocly, root } from "./run-redocly.ts";

await rm(`${root}dist`, { recursive: true, force: true });
await mkdir(`${root}dist`);
await Promise.all([
  redocly("lint", "openapi.yaml"),
  redocly("bundle", "openapi.yaml", "--output", "dist/openapi.json"),
]);
const document = await readBundle();
await writeFile(
  `${root}dist/openapi.yaml`,
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
);
await writeFile(`${root}dist/openapi-3.1.json`, `${JSON.stringify(toOpenApi31(document), undefined, 2)}\n`);
const { code, types } = operationModule(document);
await writeFile(`${root}dist/operations.js`, code);
await writeFile(`${root}dist/operations.d.ts`, types);
