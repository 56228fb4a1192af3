// `pnpm release`: builds and packs the packages, stages those of which the registry does not have this version, and adds the git
// tags. Someone with a second factor approves them afterwards (docs/api-teams.md).
//   --npm           with npm, where pnpm cannot sign in by trusted publishing
//   --placeholders  instead publishes an empty version of each package that the registry does not know: only a package that exists
//                   can have a trusted publisher, and a registry may refuse to stage another one
// Further arguments go to the command that stages or publishes.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The first npm that stages is 11.15; this one is tried in the rehearsal of a release. */
const npm = ["npx", "--yes", "npm@11.21.2"];
const folders = [
  "packages/types",
  "packages/client",
  "packages/instantsearch",
  "apps/mock",
  "apps/server",
  "apps/server-node",
].map((folder) => `./${folder}`);

const given = process.argv.slice(2);
const further = given.filter((one) => !["--npm", "--placeholders"].includes(one));

/** Shows what the command prints, and returns it with its status. The command may ask for a second factor. */
function run(command, ...args) {
  return new Promise((resolve, reject) => {
    let output = "";
    const child = spawn(command, args, { stdio: ["inherit", "pipe", "pipe"] });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from.on("data", (chunk) => {
        output += chunk;
        to.write(chunk);
      });
    }
    child.on("error", reject);
    // pnpm breaks its lines, and draws a frame beside them.
    child.on("close", (status) => resolve({ status, output: output.replaceAll(/[\s│]+/g, " ") }));
  });
}

async function runOrStop(command, ...args) {
  const { status } = await run(command, ...args);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

async function stage(archive) {
  // The packages name their repository now, so the tree is not clean; what is packed was built from a clean one.
  const [program, ...first] = given.includes("--npm") ? npm : ["pnpm", "--config.git-checks=false"];
  const command = [...first, "stage", "publish", archive, "--access", "public", ...further];
  const { status, output } = await run(program, ...command);
  if (status === 0) return "staged";
  if (/\b409\b|E409/.test(output) && /previously staged/.test(output)) return "staged before";
  if (/\b404\b|E404/.test(output)) return "unknown";
  throw new Error(`${archive} was not staged.`);
}

async function stageAll(packed) {
  await runOrStop("node", "scripts/set-repository.mjs");
  await runOrStop("turbo", "run", "build", ...folders.map((folder) => `--filter=${folder}...`));
  await runOrStop("changeset", "pack", "--out-dir", packed);
  const archives = readdirSync(packed, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tgz"),
  );
  if (archives.length === 0) return console.log("The registry has every package in its version.");
  const unknown = [];
  for (const archive of archives) {
    const outcome = await stage(join(packed, archive));
    console.log(`${archive}: ${outcome}`);
    if (outcome === "unknown") unknown.push(archive);
  }
  if (unknown.length > 0) {
    throw new Error(
      "The registry does not know these packages, or does not let this release stage them. Is the repository with release.yml " +
        "their trusted publisher? If they are new, someone with a second factor runs `pnpm release --placeholders` first.",
    );
  }
  if (given.includes("--dry-run")) return;
  await runOrStop("changeset", "git-tag");
  console.log("Staged. Someone with a second factor approves them now: `pnpm stage approve`.");
}

/** The name that npm itself gives to the first version of a package that it stages. */
const placeholder = "0.0.0-stage";

async function publishPlaceholders(folder) {
  for (const directory of folders) {
    const { name, license, description } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const { output } = await run(...npm, "view", name, "name");
    if (!/\b404\b|E404/.test(output)) continue;
    const manifest = { name, version: placeholder, license, description };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "README.md"), `# ${name}\n\nThe first release is being prepared.\n`);
    await runOrStop(...npm, "publish", folder, "--access", "public", "--tag", "stage", ...further);
  }
}

const folder = mkdtempSync(join(tmpdir(), "release-"));
try {
  await (given.includes("--placeholders") ? publishPlaceholders : stageAll)(folder);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
