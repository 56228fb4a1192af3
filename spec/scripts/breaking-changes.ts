import { isDeepStrictEqual } from "node:util";
import { apiCompare, type Diff } from "api-smart-diff";
import { comparable, schemaNames } from "./comparable.ts";
import { type OpenApiDocument, operationsOf } from "./document.ts";

/** Each change from `before` to `after` that would break a partner, as a sentence; empty if there is none. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const { diffs } = apiCompare(...withoutEqualPaths(comparable(before), comparable(after)));
  return [
    ...diffs
      .filter(breaks)
      .map(
        ({ action, path, description }) =>
          `${action} ${path.join(" › ")}${description ? `: ${description}` : ""}`,
      ),
    ...changesOutsideSchemas(before, after),
  ];
}

/** Comparing is slow, and most paths have not changed. */
function withoutEqualPaths(
  before: OpenApiDocument,
  after: OpenApiDocument,
): [OpenApiDocument, OpenApiDocument] {
  const equal = new Set(
    Object.keys(before.paths).filter((path) => isDeepStrictEqual(before.paths[path], after.paths[path])),
  );
  const differing = ({ paths }: OpenApiDocument) =>
    Object.fromEntries(Object.entries(paths).filter(([path]) => !equal.has(path)));
  return [
    { ...before, paths: differing(before) },
    { ...after, paths: differing(after) },
  ];
}

/** Whether both the version of the document and the version in the path are a later major version. */
export function majorVersionMoved(before: OpenApiDocument, after: OpenApiDocument): boolean {
  const major = (document: OpenApiDocument) => Number(document.info.version.split(".")[0]);
  const servedUnder = after.servers.map(({ url }) => url);
  return (
    major(after) > major(before) &&
    servedUnder.length > 0 &&
    servedUnder.every((url) => url === `/api/v${major(after)}`)
  );
}

/** The tool's result, with corrections. A change that it cannot classify counts as breaking. */
function breaks({ type, action, path, before, after }: Diff): boolean {
  const sent = path.includes("parameters") || path.includes("requestBody");
  const last = path.at(-1);
  // Codes may be added: clients are told to fall back to the status.
  if (!sent && action === "add" && path.at(-2) === "enum" && path.at(-3) === "code") return false;
  if (action === "replace" && path.at(-2) === "enum") return true;
  // Request bodies are closed, so a removed field is refused.
  if (sent && action === "remove" && path.at(-2) === "properties") return true;
  if (sent && action === "replace" && last === "type") return !(before === "integer" && after === "number");
  return type === "breaking" || type === "unclassified";
}

/** Fields that the tool treats as annotations although partners depend on them. */
function changesOutsideSchemas(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const changes: string[] = [];
  const names = new Set(schemaNames(after));
  for (const name of schemaNames(before)) {
    if (!names.has(name)) changes.push(`remove the schema ${name}, which is a published type`);
  }
  const later = new Map(
    operationsOf(after).map(({ path, method, operation }) => [`${method} ${path}`, operation]),
  );
  for (const { path, method, operation } of operationsOf(before)) {
    const next = later.get(`${method} ${path}`);
    if (!next) continue; // reported by the comparison of the paths
    for (const key of ["operationId", "x-scope"] as const) {
      if (operation[key] !== next[key]) changes.push(`change ${key} of ${method} ${path}`);
    }
    if (isOpen(operation, before) && !isOpen(next, after))
      changes.push(`ask for a token at ${method} ${path}`);
  }
  const served = (document: OpenApiDocument) => document.servers.map(({ url }) => url).join(", ");
  if (served(before) !== served(after))
    changes.push(`move the service from ${served(before)} to ${served(after)}`);
  return changes;
}

function isOpen(operation: { security?: Record<string, string[]>[] }, document: OpenApiDocument): boolean {
  return (operation.security ?? document.security).length === 0;
}
