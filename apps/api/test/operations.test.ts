import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadSpec, readOperations } from "../src/http/operation-info.ts";

const spec = loadSpec();

describe.each(readOperations(spec))("$operationId", ({ operationId, path, method }) => {
  const file = fileURLToPath(new URL(`./operations/${operationId}.test.ts`, import.meta.url));
  const documented = Object.keys(spec.paths[path]?.[method.toLowerCase()]?.responses ?? {});

  it("has a test for each status that it documents, and for no other", () => {
    expect(existsSync(file), `${file} is missing`).toBe(true);
    const tested = [
      ...readFileSync(file, "utf8").matchAll(/describe(?:\.each\([\s\S]*?\))?\(\s*"(\d{3})/g),
    ].map((match) => match[1] ?? "");
    expect([...new Set(tested)].sort()).toEqual(documented.sort());
  });
});
