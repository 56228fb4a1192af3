import { readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { type Actor, type Scope, scopes } from "@product-search/core/ports/accounts.ts";
import { InvalidArgumentError } from "commander";
import { composeExistingStores, type Stores } from "../../compose/stores/stores.ts";
import { readEnvironment } from "../../config.ts";

/** Opens the store, closes it at the end, and creates none unless `open` does. */
export async function withStores<Result>(
  use: (stores: Stores) => Promise<Result>,
  open: typeof composeExistingStores = composeExistingStores,
): Promise<Result> {
  const stores = await open(readEnvironment());
  try {
    return await use(stores);
  } finally {
    await stores.close();
  }
}

/** The result as JSON for programs, or a text for people. */
export function printResult({ json }: { json?: boolean }, result: unknown, text: string): void {
  if (json) console.log(JSON.stringify(result));
  else if (text !== "") console.log(text);
}

/** Reads the value of an option. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };
}

/** The text of a file that somebody named, which should have these contents. */
export async function readText(file: string, contents: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be read. Name a text file with ${contents}. (${message})`, {
      cause: error,
    });
  }
}

/** The user and machine that run this command, for the audit log. */
export function commandActor(): Actor {
  return { kind: "command", user: userName(), host: hostname() };
}

/** In a container, the user id may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

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
