import { ApiError } from "@product-search/core/errors.ts";
import { basePath } from "@product-search/http-rules/base-path.ts";
import { type Operation, operations } from "@product-search/spec/operations";

/** Longer ones are no identifiers: as the service, which does not look at them. */
const maxParameterLength = 2000;

export interface Route {
  operation: Operation;
  path: Record<string, string>;
}

/** The operation of a method and path; throws the service's 404 or 405. */
export function findRoute(method: string, path: string): Route {
  const matches = Object.values<Operation>(operations).flatMap((operation) => {
    const parameters = matchPath(operation.path, path);
    return parameters ? [{ operation, path: parameters }] : [];
  });
  // A fixed path comes before one with parameters.
  const paths = matches
    .map((match) => match.operation.path)
    .toSorted((one, other) => weight(one) - weight(other));
  const candidates = matches.filter((match) => match.operation.path === paths[0]);
  if (candidates.length === 0)
    throw new ApiError("not_found", `${path} does not exist. See /docs for the paths.`);
  const found = candidates.find((match) => match.operation.method === method);
  if (found) return found;
  const allow = candidates.map((match): string => match.operation.method);
  throw new ApiError(
    "method_not_allowed",
    `${method} is not supported for this path. Use ${allow.join(" or ")}.`,
    {
      headers: { allow: allow.join(", ") },
    },
  );
}

function weight(template: string): number {
  return template.split("{").length;
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = `${basePath}${template}`.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, step] of wanted.entries()) {
    const part = parts[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(step)?.[1];
    if (name === undefined) {
      if (part !== step) return undefined;
      continue;
    }
    if (part.length > maxParameterLength) return undefined;
    parameters[name] = decode(part);
  }
  return parameters;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new ApiError("not_found", "The path does not exist. See /docs for the paths.", { cause });
  }
}
