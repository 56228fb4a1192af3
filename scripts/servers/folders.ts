import { mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const isRoot = process.getuid?.() === 0;

/**
 * Programs are installed once per machine. PostgreSQL does not run as root, and the other user must be able to read
 * them, so they are not in root's home folder.
 */
export function installFolder(): string {
  const cache = isRoot ? "/var/cache" : (process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"));
  return created(join(cache, "product-search", "servers"));
}

/** Data, logs and process ids of the running servers. */
export function stateFolder(): string {
  return created(join(tmpdir(), `product-search-servers-${process.getuid?.() ?? 0}`));
}

function created(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
