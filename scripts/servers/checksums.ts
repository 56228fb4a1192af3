import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ServersError } from "./run.ts";

export function digestOf(file: string, algorithm: "sha256" | "sha512", encoding: "hex" | "base64"): string {
  return createHash(algorithm).update(readFileSync(file)).digest(encoding);
}

/** Compares the files of the folder with a list of lines `sha256  name`: none may be added, missing or changed. */
export function checkFolder(folder: string, list: string): void {
  const expected = new Map(
    readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/))
      .map(([digest = "", name = ""]) => [name, digest]),
  );
  const found = new Set(readdirSync(folder));
  const wrong = [
    ...[...expected.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`),
    ...[...found].filter((name) => !expected.has(name)).map((name) => `${name} is not in the list`),
    ...[...found]
      .filter(
        (name) => expected.has(name) && digestOf(join(folder, name), "sha256", "hex") !== expected.get(name),
      )
      .map((name) => `${name} has another checksum`),
  ];
  if (wrong.length > 0) throw new ServersError(`${folder} does not match ${list}: ${wrong.join(", ")}.`);
}
