import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readKindVectors, saveKindVectors } from "./follow-kinds.ts";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "kinds.bin");
}

const saved = { keys: ["a".repeat(28), "b".repeat(28)], vectors: Float32Array.from([0.5, -1, 2, 0]) };

it("reads what was saved", async () => {
  const file = newFile();
  expect(await readKindVectors(file)).toBeUndefined();
  await saveKindVectors(file, saved);
  expect(await readKindVectors(file)).toEqual(saved);
});

it.each([0, 9, 20, 80])("reads nothing of a file that is damaged or ends after %i bytes", async (place) => {
  const file = newFile();
  await saveKindVectors(file, saved);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, place));
  expect(await readKindVectors(file)).toBeUndefined();
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(await readKindVectors(file)).toBeUndefined();
});
