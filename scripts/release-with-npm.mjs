// `pnpm release-with-npm`: the release where `pnpm publish` cannot sign in by trusted publishing. It builds and packs the same
// packages, publishes with npm those that the registry does not have in this version, and adds the git tags. Further arguments go
// to `npm publish`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The first versions of npm with trusted publishing are of 11; this one is tried in the rehearsal of a release. */
const npm = "npm@11.21.2";
const folders = [
  "packages/types",
  "packages/client",
  "packages/instantsearch",
  "apps/mock",
  "apps/server",
].map((folder) => `./${folder}`);

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

const packed = mkdtempSync(join(tmpdir(), "release-with-npm-"));
try {
  run("node", "scripts/set-repository.mjs");
  run("turbo", "run", "build", ...folders.map((folder) => `--filter=${folder}...`));
  run("changeset", "pack", "--out-dir", packed);
  const archives = readdirSync(packed, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tgz"),
  );
  if (archives.length === 0) console.log("The registry has every package in its version.");
  for (const archive of archives)
    run(
      "npx",
      "--yes",
      npm,
      "publish",
      join(packed, archive),
      "--access",
      "public",
      ...process.argv.slice(2),
    );
  if (!process.argv.includes("--dry-run")) run("changeset", "git-tag");
} finally {
  rmSync(packed, { recursive: true, force: true });
}
