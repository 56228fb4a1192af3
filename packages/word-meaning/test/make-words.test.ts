import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";

const execute = promisify(execFile);
const script = join(import.meta.dirname, "../make/make_words.py");
const python = process.env.TEST_PYTHON ?? "python3";
const wordnet = process.env.TEST_WORDNET;
const modules = "wordsegment";
const missing =
  wordnet === undefined
    ? "TEST_WORDNET does not name the folder of WordNet's database"
    : await execute(python, ["-c", `import ${modules}`]).then(
        () => undefined,
        (error: unknown) =>
          String(error).match(/ModuleNotFoundError: .*|ENOENT/)?.[0] ?? `${python} does not run`,
      );
if (missing !== undefined)
  console.log(`SKIPPED: making the words | it needs ${python} (TEST_PYTHON) with ${modules}: ${missing}`);

it.skipIf(missing !== undefined)("the script writes the file that is in the package", async () => {
  const folder = await mkdtemp(join(tmpdir(), "words-"));
  try {
    const file = join(folder, "words.bin");
    await execute(python, ["-B", script, "--wordnet", wordnet ?? "", "--out", file]);
    const own = new URL("../data/words.bin", import.meta.url);
    expect(inflateSync(await readFile(file)).equals(inflateSync(await readFile(own)))).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
