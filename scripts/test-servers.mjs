import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * The servers that suites of adapters run against: those that are named in the environment, else those that
 * `pnpm servers start` runs. `none` says that there is none: what was skipped must not count as done once there is one.
 */
export function findTestServers() {
  const { TEST_DATABASE_URL, TEST_SEARCH_URL } = process.env;
  const running = readRunning();
  return {
    TEST_DATABASE_URL: TEST_DATABASE_URL || running.DATABASE_URL || "none",
    TEST_SEARCH_URL: TEST_SEARCH_URL || running.SEARCH_URL || "none",
  };
}

function readRunning() {
  const command = fileURLToPath(new URL("./servers/main.ts", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [command, "status", "--json"], { encoding: "utf8" });
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}
