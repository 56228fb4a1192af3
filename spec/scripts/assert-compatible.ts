import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import {
  type BreakingChange,
  type Comparison,
  compareDocuments,
  majorVersionMoved,
} from "./breaking-changes.ts";
import type { OpenApiDocument } from "./document.ts";

/**
 * Throws if the candidate would break a partner of the released document (unless it has a new major version), or if a
 * file cannot be read. Resolves to the result, and what was compared.
 */
export async function assertCompatible(releasedFile: string, candidateFile: string): Promise<string> {
  const released = await readDocument(releasedFile);
  const candidate = await readDocument(candidateFile);
  const comparison = compareDocuments(released, candidate);
  const { changes } = comparison;
  const scope = describeScope(comparison, released.info.version);
  if (changes.length === 0) return `No breaking changes since version ${released.info.version}.\n${scope}`;
  if (majorVersionMoved(released, candidate)) {
    return `${changes.length} breaking changes, allowed: the major version moved from ${released.info.version} to ${candidate.info.version}.\n${scope}`;
  }
  throw new Error(
    `These changes break what version ${released.info.version} promised:\n${changes.map(describeChange).join("")}${scope}\n` +
      "Make them additive, or move the major version: info.version, and the path in servers.",
  );
}

/** What was compared, and what the released document does not protect because it does not have it. */
function describeScope({ operations, callbacks, notCompared }: Comparison, version: string): string {
  const compared = `Compared: ${count(operations, "operation")} and ${count(callbacks, "callback")} of version ${version}.`;
  const { operations: added, parameters, fields } = notCompared;
  const missing = [
    ...(added.length > 0 ? [`${count(added.length, "operation")} (${added.join(", ")})`] : []),
    ...(notCompared.callbacks > 0 ? [count(notCompared.callbacks, "callback")] : []),
    ...(parameters > 0 ? [count(parameters, "parameter")] : []),
    ...(fields > 0 ? [count(fields, "field")] : []),
  ];
  if (missing.length === 0) return compared;
  return `${compared}\nNot compared, because version ${version} does not have them: ${missing.join("; ")}. The next release protects them.`;
}

function describeChange({ place, fault, remedy, operations }: BreakingChange): string {
  const [first, ...others] = operations;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return `  ${place}: ${fault} ${remedy} (${first}${more})\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
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
