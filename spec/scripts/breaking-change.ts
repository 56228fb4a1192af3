// Compares the built document with the last released one: `node scripts/breaking-change.ts [released file] [new file]`
import { fileURLToPath } from "node:url";
import { checkBreakingChanges } from "./check-breaking-changes.ts";
import { bundleLocation, releasedLocation } from "./document.ts";

const [released = fileURLToPath(releasedLocation), candidate = fileURLToPath(bundleLocation)] =
  process.argv.slice(2);
try {
  await checkBreakingChanges(released, candidate);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
