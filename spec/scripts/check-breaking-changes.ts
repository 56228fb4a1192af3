// `pnpm check-breaking-changes`: compares the built document with the document of the last release.
// Exit status: 0 if no change is breaking, 1 for a breaking change or an unreadable document, 2 for wrong arguments.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertCompatible } from "./assert-compatible.ts";
import { bundleLocation, releasedLocation } from "./document.ts";

const usage = `Usage: pnpm check-breaking-changes [--released FILE] [--candidate FILE]

Compares two OpenAPI documents and fails when the second would break a partner of the first.
  --released FILE    the promised document (default: spec/released/openapi.yaml)
  --candidate FILE   the changed document (default: the one built from spec/)
  --help             this text`;

try {
  process.exitCode = await check();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function check(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  if (options.help) {
    console.log(usage);
    return 0;
  }
  console.log(await assertCompatible(options.released, options.candidate));
  return 0;
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        released: { type: "string", default: fileURLToPath(releasedLocation) },
        candidate: { type: "string", default: fileURLToPath(bundleLocation) },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
}
