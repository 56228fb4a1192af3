import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", "docs/tour.md", "docs/partners.md", "docs/api-teams.md"];
const execute = promisify(execFile);

interface Block {
  page: string;
  language: string;
  /** From the comment above the block: what has to be there for it to run. */
  needs: string | undefined;
  text: string;
}

/** Fenced blocks of the pages, with the `<!-- test: … -->` above them. */
function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  const fence = /(?:<!-- test: ([\w-]+) -->\n)?^```(\w*)\n([\s\S]*?)^```/gm;
  return [...text.matchAll(fence)].map(([, needs, language = "", body = ""]) => ({
    page,
    needs,
    language,
    text: body,
  }));
}

const blocks = pages.flatMap(readBlocks);
const withNeeds = (...needs: string[]) =>
  blocks
    .filter((block) => block.needs !== undefined && needs.includes(block.needs))
    .map((block): [string, Block] => [`${block.page}: ${block.text.split("\n")[0]}`, block]);

/** What runs elsewhere: this very suite, the start below, the rehearsal of a release. */
const runElsewhere = [
  /^npx pnpm@12\.21\.0 (start|test|install)$/,
  /^npm install @product-search\/client$/,
  /^export TOKEN=pss_…$/,
];

const folder = mkdtempSync(join(tmpdir(), "docs-test-"));
const children: ChildProcess[] = [];
let servicePort: number;
let mockPort: number;
let token: string;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function start(
  command: string,
  args: string[],
  environment: Record<string, string>,
  until: RegExp,
): Promise<string> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (until.test(output)) resolve(output);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}:\n${output}`)));
  });
}

const environment = () => ({ ...process.env, TOKEN: token, DATA_DIR: join(folder, "data"), CI: "true" });
/** Both ports in one pass: the first one's replacement may itself begin with 4010. */
const placed = (text: string) =>
  text.replaceAll(/127\.0\.0\.1:(3000|4010)\b/g, (_, port) =>
    port === "3000" ? `127.0.0.1:${servicePort}` : `127.0.0.1:${mockPort}`,
  );

async function bash(text: string): Promise<string> {
  const script = `set -eu\n${placed(text)}`;
  const { stdout } = await execute("bash", ["-c", script], {
    cwd: root,
    env: environment(),
    maxBuffer: 32 * 1024 * 1024,
  });
  return stdout;
}

describe("the documentation", () => {
  beforeAll(async () => {
    [servicePort, mockPort] = [await freePort(), await freePort()];
    const settings = { DATA_DIR: join(folder, "data"), PORT: String(servicePort), TRIAL_RATE_LIMIT: "0" };
    const banner = await start(process.execPath, ["apps/api/src/cli/main.ts", "start"], settings, /Ctrl-C/);
    token = /pss_\w{36}/.exec(banner)?.[0] ?? "";
    await start(
      process.execPath,
      ["apps/mock/src/main.ts", "--port", String(mockPort)],
      {},
      new RegExp(String(mockPort)),
    );
  });
  afterAll(async () => {
    for (const child of children) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it("has no block that nobody runs", () => {
    const loose = blocks.filter(
      ({ needs, language, text }) =>
        needs === undefined && language !== "" && !runElsewhere.some((one) => one.test(text.trim())),
    );
    expect(loose).toEqual([]);
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(withNeeds("service", "mock-call"))("runs %s", async (_, block) => {
    const output = await bash(block.text);
    // A limit that the block asks the mock for is the one error that is wanted.
    expect(output.replaceAll(/\{[^{}]*"rate_limited"[^{}]*\}/g, "")).not.toMatch(
      /"status":"error"|"success":false/,
    );
  });

  it.each(withNeeds("command"))("runs %s", async (_, block) => {
    await bash(block.text);
  });

  it.each(withNeeds("client"))("runs with the client %s", async (_, block) => {
    const modules = join(folder, "node_modules/@product-search");
    mkdirSync(modules, { recursive: true });
    if (!existsSync(join(modules, "client")))
      symlinkSync(join(root, "packages/client"), join(modules, "client"));
    const file = join(folder, "block.mts");
    writeFileSync(file, placed(block.text));
    const { stdout } = await execute(process.execPath, [file], { cwd: folder, env: environment() });
    expect(stdout.trim()).not.toBe("");
    expect(stdout).not.toMatch(/^(false|0 chairs)$/m);
  });

  it.each(withNeeds("mock", "contract"))("shows a command that exists: %s", async (_, block) => {
    const [command = ""] = /(?:pnpm|npx @product-search\/)\s*([\w-]+)/.exec(block.text)?.slice(1) ?? [];
    const { stdout } = await execute("bash", ["-c", `pnpm --silent ${command} --help`], {
      cwd: root,
      env: environment(),
    });
    for (const option of block.text.match(/--[\w-]+/g) ?? []) expect(stdout).toContain(option);
  });

  it("links to files that are there", () => {
    const all = [
      ...pages,
      "CONTRIBUTING.md",
      "docs/architecture.md",
      "docs/operate.md",
      "docs/add-an-operation.md",
      "docs/add-an-adapter.md",
      "docs/webhooks.md",
      "docs/feeds.md",
      "docs/figures.md",
    ];
    const broken = all.flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) =>
        join(root, dirname(page), target),
      );
      return targets.filter((target) => !existsSync(target));
    });
    expect(broken).toEqual([]);
  });
});
