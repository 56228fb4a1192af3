// Bundlers do not check types, so the builds of the service and the mock ask here whether each operation has a handler.
import { readFile } from "node:fs/promises";

/** Such as that of esbuild: from TypeScript to a CommonJS module. */
type Transform = (
  source: string,
  options: { loader: "ts"; format: "cjs" },
) => Promise<{ readonly code: string }>;

const table = "packages/features/src/handlers.ts";

/**
 * The line that names the operations without a handler; undefined if there is none. The table alone is evaluated, with
 * an empty function for each import: loading the features behind it would take longer than the build.
 */
export async function describeMissingHandlers(
  operationIds: readonly string[],
  transform: Transform,
  file: string | URL = new URL(`../${table}`, import.meta.url),
): Promise<string | undefined> {
  const { code } = await transform(await readFile(file, "utf8"), { loader: "ts", format: "cjs" });
  const emptyImport = new Proxy({}, { get: () => () => ({}) });
  const module = { exports: { createHandlers: (_ports: object): object => ({}) } };
  new Function("module", "require", code)(module, () => emptyImport);
  const handlers = module.exports.createHandlers({});
  const missing = operationIds.filter((id) => !Object.hasOwn(handlers, id));
  if (missing.length === 0) return undefined;
  return `${table}: no handler for ${missing.join(", ")}. Add one to the table of createHandlers.`;
}
