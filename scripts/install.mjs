// Installs what a command needs, before it runs: everything, or for `start` and `api` only what building and running the
// service need. Runs on Node 20 or later, because Node 26 is among the dependencies.
//
// What building needs is under `dependencies` of the root, what only tests and checks need is under `devDependencies` of
// any package.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path) => {
  try {
    return readFileSync(`${root}${path}`, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
};

const serviceOnly = process.argv[2] === "start";
const lock = read("pnpm-lock.yaml");
// pnpm writes what it has installed. The installation for the service is a part of the lock file, so it is recorded here.
const hasAll = read("node_modules/.pnpm/lock.yaml") === lock;
const record = "node_modules/.service-lock.yaml";

if (!hasAll && !(serviceOnly && read(record) === lock)) {
  const only = serviceOnly
    ? [
        "--prod",
        "--filter=product-search",
        ...["api", "console", "storefront"].map((name) => `--filter-prod=@product-search/${name}...`),
      ]
    : [];
  const what = serviceOnly
    ? "what the service needs (a download of about 110 MB)"
    : "everything, tests included";
  console.error(`Installing ${what}. The first time takes a few minutes, depending on the network.`);
  // Standard output is for the command.
  const { status, error } = spawnSync("pnpm", ["install", "--frozen-lockfile", ...only], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, CI: "true" },
  });
  if (error) console.error(`pnpm could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
  if (serviceOnly) writeFileSync(`${root}${record}`, lock);
}
