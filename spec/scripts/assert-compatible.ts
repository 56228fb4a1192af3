import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { breakingChanges, majorVersionMoved } from "./breaking-changes.ts";
import type { OpenApiDocument } from "./document.ts";

/**
 * Throws if the candidate would break a partner of the released document (unless it has a new major version), or if a
 * file cannot be read. Resolves to a sentence with the result.
 */
export async function assertCompatible(releasedFile: string, candidateFile: string): Promise<string> {
  const released = await readDocument(releasedFile);
  const candidate = await readDocument(candidateFile);
  const changes = breakingChanges(released, candidate);
  if (changes.length === 0) return `No breaking changes since version ${released.info.version}.`;
  if (majorVersionMoved(released, candidate)) {
    return `${changes.length} breaking changes, allowed: the major version moved from ${released.info.version} to ${candidate.info.version}.`;
  }
  throw new Error(
    `These changes break what version ${released.info.version} promised:\n  ${changes.join("\n  ")}\n` +
      "Make them additive, or move the major version: info.version, and the path in servers.",
  );
}

async function readDocument(file: string): Promise<OpenApiDocument> {
  try {
    const document: unknown = parse(await readFile(file, "utf8"));
    if (!isOpenApi(document))
      throw new Error("it is not an OpenAPI 3.0 document with paths, schemas and a version");
    return document;
  } catch (cause) {
    throw new Error(`Cannot compare: ${file} cannot be used (${String(cause)}).`, { cause });
  }
}

function isOpenApi(value: unknown): value is OpenApiDocument {
  const { openapi, info, paths, components } = (value ?? {}) as Partial<OpenApiDocument>;
  return (
    `${openapi}`.startsWith("3.0.") &&
    /^\d+\.\d+\.\d+$/.test(`${info?.version}`) &&
    Object.keys(paths ?? {}).length > 0 &&
    Object.keys(components?.schemas ?? {}).length > 0
  );
}
