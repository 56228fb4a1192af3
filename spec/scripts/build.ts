// Lints the hand-written document, bundles it to dist/openapi.json and dist/openapi.yaml, and creates the table of
// operations. The three tools run concurrently: together they take about two seconds.
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { readBundle } from "./document.ts";
import { operationModule } from "./operation-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);

/** Runs one of this package's tools and prints its output if it fails. */
async function run(tool: "redocly" | "spectral", args: string[]): Promise<void> {
  try {
    await execute(`${root}node_modules/.bin/${tool}`, args, {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "stderr" in error)) throw error;
    console.error(`${tool} ${args.join(" ")} failed:\n${error.stdout}${error.stderr}`);
    process.exit(1);
  }
}

await rm(`${root}dist`, { recursive: true, force: true });
await mkdir(`${root}dist`);
await Promise.all([
  run("redocly", ["lint", "openapi.yaml"]),
  run("spectral", ["lint", "--ruleset", ".spectral.yaml", "--fail-severity", "hint", "openapi.yaml"]),
  run("redocly", ["bundle", "openapi.yaml", "--output", "dist/openapi.json"]),
]);
const document = await readBundle();
await writeFile(
  `${root}dist/openapi.yaml`,
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
);
const { code, types } = operationModule(document);
await writeFile(`${root}dist/operations.js`, code);
await writeFile(`${root}dist/operations.d.ts`, types);
