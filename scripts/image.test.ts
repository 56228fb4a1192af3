import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "./docs-blocks.ts";
import { start } from "./docs-service.ts";

interface Stage {
  name: string;
  instructions: string[];
}

/** The stages of the Dockerfile, with continued lines joined. */
function readStages(): Stage[] {
  const text = readFileSync(join(root, "deploy/Dockerfile"), "utf8").replaceAll("\\\n", " ");
  const stages: Stage[] = [];
  for (const line of text.split("\n").filter((one) => /^[A-Z]+ /.test(one))) {
    if (line.startsWith("FROM "))
      stages.push({ name: / AS (\w+)/.exec(line)?.[1] ?? "last", instructions: [] });
    else stages.at(-1)?.instructions.push(line);
  }
  return stages;
}

/** What concerns the container and not its files. */
const isOfContainer = (command: string) => /npm install --global|mkdir \/data/.test(command);

/** Copies and runs what a stage does, in a folder in place of `/app`. The checkout is in place of the stage `build`. */
function build({ instructions }: Stage, folder: string, folders: ReadonlyMap<string, string>): void {
  for (const line of instructions) {
    const [, from = "", paths = ""] = /^COPY --from=(\w+) (.+)$/.exec(line) ?? [];
    if (paths !== "") {
      const sources = paths.trim().split(/\s+/);
      const target = sources.pop() ?? "";
      for (const source of sources) {
        const path = join(folders.get(from) ?? "", source.replace(/^\/app/, ""));
        // Of a folder, COPY takes the contents.
        const copy = join(folder, target, statSync(path).isFile() ? basename(path) : "");
        cpSync(path, copy, { recursive: true, verbatimSymlinks: true });
      }
    }
    const command = /^RUN (.+)$/.exec(line)?.[1];
    if (command === undefined || isOfContainer(command)) continue;
    const env = { ...process.env, CI: "true", PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    execFileSync("bash", ["-c", command], { cwd: folder, env, stdio: "pipe" });
  }
}

it("the files of the container image are enough to start the service", async () => {
  const parent = mkdtempSync(join(tmpdir(), "image-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const [, ...stages] = readStages();
  const folders = new Map([["build", root]]);
  for (const stage of stages) {
    const folder = join(parent, stage.name);
    mkdirSync(folder);
    build(stage, folder, folders);
    folders.set(stage.name, folder);
  }
  expect([...folders.keys()]).toEqual(["build", "dependencies", "last"]);
  const command = `cd ${join(parent, "last")} && exec ${process.execPath} apps/api/dist/main.js serve`;
  const settings = { DATA_DIR: join(parent, "data"), PORT: "0", NODE_ENV: "production", THREADS: "1" };
  const service = await start(command, settings, /Serving at (\S+)/);
  onTestFinished(service.stop);
  const url = /Serving at (http:\/\/[^/\s]+)/.exec(service.output)?.[1];
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await fetch(`${url}/api/v1/search/trial?q=lamp`)).status).toBe(200);
  expect((await fetch(`${url}/`)).status).toBe(200);
});
