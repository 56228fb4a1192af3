import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";

type Address = Pick<Config, "dataDir" | "host" | "port">;

const fileIn = ({ dataDir }: Pick<Config, "dataDir">) => join(dataDir, "serving.json");

/**
 * Notes where the data is served, for commands whose environment names another port or none. A process that was killed leaves its
 * note: what is read need not be true. The returned function removes it.
 */
export async function noteServingAddress(config: Address): Promise<() => Promise<void>> {
  const { host, port } = config;
  const file = fileIn(config);
  const text = `${JSON.stringify({ host, port, processId: process.pid })}\n`;
  await writeFile(file, text, { mode: 0o600 });
  return async () => {
    // Another process may serve the same data by now.
    if ((await readFile(file, "utf8").catch(() => undefined)) === text) await rm(file, { force: true });
  };
}

/** Undefined without a note. */
export async function readServingAddress(
  config: Pick<Config, "dataDir">,
): Promise<Pick<Config, "host" | "port"> | undefined> {
  const text = await readFile(fileIn(config), "utf8").catch(() => "null");
  try {
    const note: unknown = JSON.parse(text);
    if (typeof note !== "object" || note === null || !("host" in note) || !("port" in note)) return undefined;
    const { host, port } = note;
    return typeof host === "string" && typeof port === "number" ? { host, port } : undefined;
  } catch {
    return undefined;
  }
}
