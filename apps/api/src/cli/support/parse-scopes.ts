import { type Scope, scopes } from "@product-search/core/ports/account-store.ts";
import { InvalidArgumentError } from "commander";

/** The value of `--scopes`. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(",").map((part) => part.trim());
  const parsed = scopes.filter((scope) => names.includes(scope));
  const unknown = names.filter((scope) => !scopes.some((one) => one === scope));
  if (unknown.length > 0 || parsed.length === 0) {
    throw new InvalidArgumentError(`Write one or more of ${scopes.join(",")}.`);
  }
  return parsed;
}
