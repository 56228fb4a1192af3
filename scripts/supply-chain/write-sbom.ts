// `pnpm run sbom [--out FILE]`: writes a CycloneDX bill of materials of shipped packages.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readShippedBom } from "./shipped-bom.ts";

const { values } = parseArgs({ options: { out: { type: "string", default: "sbom.cdx.json" } } });
const bom = await readShippedBom();
await writeFile(values.out, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`Wrote ${values.out}: ${bom.components.length} packages.`);
