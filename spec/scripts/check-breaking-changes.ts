// `pnpm check-breaking-changes`: compares the hand-written document with the document of the last release. It bundles without
// lint, because a removed field also makes every example wrong that has it, and that is not the first thing to know.
// Exit status: 0 if no change is breaking, 1 for a breaking change or an unreadable document, 2 for wrong arguments.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assertCompatible } from "./assert-compatible.ts";
import { releasedLocation } from "./document.ts";
import { redocly } from "./run-redocly.ts";

const usage = `Usage: pnpm check-breaking-changes [--released FILE] [--candidate FILE]

Compares two OpenAPI documents and fails when the second would break a partner of the first.
  --released FILE    the promised document (default: spec/released/openapi.yaml)
  --candidate FILE   the changed document (default: the one in spec/, bundled without lint)
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
  console.log(await compareWith(options.released, options.candidate));
  return 0;
}

async function compareWith(released: string, candidate: string | undefined): Promise<string> {
  if (candidate !== undefined) return assertCompatible(released, candidate);
  const folder = await mkdtemp(join(tmpdir(), "check-breaking-changes-"));
  try {
    const bundled = join(folder, "openapi.json");
    await redocly("bundle", "openapi.yaml", "--output", bundled);
    return await assertCompatible(released, bundled);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        released: { type: "string", default: fileURLToPath(releasedLocation) },
        candidate: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
}
