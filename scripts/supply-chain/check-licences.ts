// `pnpm check-licences [--write]`: refuses licences that are not allowed, and a list in docs/licences.md that is out
// of date.
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findRefusals, licencePage, shippedPackages } from "./licences.ts";
import { readShippedBom, root } from "./shipped-bom.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const page = join(root, "docs/licences.md");
const packages = shippedPackages(await readShippedBom());
const faults = findRefusals(packages);
const text = formatted(licencePage(packages));

if (values.write) await writeFile(page, text);
else if ((await readFile(page, "utf8")) !== text) {
  faults.push(
    "docs/licences.md is out of date: run `pnpm check-licences --write` and look at the difference.",
  );
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${packages.length} packages are shipped, all under allowed licences.`);

/** In the format of `pnpm format`, so that both agree. */
function formatted(markdown: string): string {
  const biome = join(root, "node_modules/.bin/biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${page}`], {
    input: markdown,
    encoding: "utf8",
    cwd: root,
  });
}
