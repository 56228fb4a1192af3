// `pnpm check-licences [--out FILE]`: refuses licences that are not allowed, and writes a page that lists all of them.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { findRefusals, licencePage, shippedPackages } from "./licences.ts";
import { readShippedBom } from "./shipped-bom.ts";

const { values } = parseArgs({ options: { out: { type: "string" } } });
const packages = shippedPackages(await readShippedBom());
const faults = findRefusals(packages);
if (values.out !== undefined) await writeFile(values.out, licencePage(packages));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${packages.length} packages are shipped, all under allowed licences.`);
