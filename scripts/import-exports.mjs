// Imports public exports of shops and reports what each loses: node scripts/import-exports.mjs FILE-OR-URL…
// Nothing of them is stored: each goes into a store of its own, which is deleted. The service must be built (`pnpm build`).
// CURRENCY and FETCH_ALLOW_NETWORKS are those of the environment.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../apps/api/dist/main.js", import.meta.url));
const feeds = process.argv.slice(2);
if (feeds.length === 0) {
  console.error("Name files or URLs of exports.");
  process.exit(2);
}
let failed = 0;
for (const feed of feeds) {
  const folder = mkdtempSync(join(tmpdir(), "export-"));
  const args = [cli, "import", feed, "--source", "catalog", "--json"];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, DATA_DIR: folder, LOG_LEVEL: "silent" },
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true, force: true });
  if (stdout.trim() === "") {
    failed += 1;
    console.log(`${feed}: failed: ${stderr.trim().split("\n").at(-1)}`);
    continue;
  }
  const {
    layout = "no table",
    rows,
    created,
    refused,
    unpublished,
    cutAttributeNames,
    ignoredShares,
  } = JSON.parse(stdout);
  const lost = Object.entries(ignoredShares).map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
  console.log(
    `${feed}: ${layout}, ${rows} rows, ${created} created, ${refused} refused, ${unpublished} not shown, ` +
      `cut: ${cutAttributeNames.join(", ") || "none"}, lost: ${lost.join("; ") || "none"}`,
  );
}
process.exitCode = failed > 0 ? 1 : 0;
