import type { IHttpOperation } from "@stoplight/types";
import { MockError } from "./mock-error.ts";

/** The service refuses parameters that it does not know; Prism would pass over them. */
export function refuseUnknownParameters(
  operations: IHttpOperation[],
  { method, url }: { method: string; url: { path: string; query: Record<string, unknown> } },
): void {
  const operation = operations.find((one) => one.method === method && matches(one.path, url.path));
  if (!operation) return;
  const known = operation.request?.query?.map(({ name }) => name) ?? [];
  const unknown = Object.keys(url.query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const allowed = known.length > 0 ? `It takes ${known.join(", ")}.` : "It takes none.";
  throw new MockError(400, `${unknown}: this operation has no such query parameter. ${allowed}`);
}

function matches(template: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = template.split("/");
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => part.startsWith("{") || part === parts[index])
  );
}
