// `pnpm rehearse-release`: all steps of a release with a local registry: version, stage, approve, install into an empty folder, use
// from ESM and CommonJS, and run the partner example against the mock. The Node is the one on the PATH, as partners have it
// (that of the mock is the oldest that it runs on), and the client is also used with other runtimes that can be installed.
// Nothing leaves this machine, and the tree does not change.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createStagingRegistry, oneTimePassword, personToken, workflowToken } from "./staging-registry.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);
const names = ["types", "client", "instantsearch", "mock", "server", "server-node"].map(
  (name) => `@product-search/${name}`,
);
const children = [];

async function run(command, args, { cwd, env = {}, quiet = true, timeout } = {}) {
  try {
    const options = { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await execute(command, args, options);
    if (!quiet) process.stdout.write(stdout);
    return stdout;
  } catch (error) {
    throw new Error(
      `${command} ${args.join(" ")} failed:\n${error.stdout ?? ""}\n${error.stderr ?? error.message}`,
    );
  }
}

async function step(name, work) {
  const startedAt = Date.now();
  process.stdout.write(`${name} … `);
  const result = await work();
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A registry that keeps our packages and downloads others from this machine's usual registry. */
async function startRegistry(folder) {
  const port = await freePort();
  const uplink = (await run("npm", ["config", "get", "registry"])).trim();
  const config = join(folder, "verdaccio.yaml");
  await writeFile(
    config,
    `storage: ${join(folder, "storage")}
auth: { htpasswd: { file: ${join(folder, "htpasswd")}, max_users: 10 } }
uplinks: { others: { url: ${uplink}, maxage: 1h } }
packages:
  '@product-search/*': { access: $all, publish: $authenticated }
  '**': { access: $all, proxy: others }
# The service is a package of more than the usual 10 MB.
max_body_size: 200mb
log: { type: stdout, format: pretty, level: error }
`,
  );
  const child = spawn(
    join(root, "node_modules/.bin/verdaccio"),
    ["--config", config, "--listen", `127.0.0.1:${port}`],
    {
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  children.push(child);
  const url = `http://127.0.0.1:${port}/`;
  await untilReady(`${url}-/ping`);
  const user = { name: "rehearsal", password: "rehearsal-password", type: "user", roles: [] };
  const response = await fetch(`${url}-/user/org.couchdb.user:rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const { token } = await response.json();
  if (!token) throw new Error(`The registry gave no token: ${response.status}`);
  return { url, token, npmrc: npmrcOf(url, token) };
}

function npmrcOf(url, token) {
  return `registry=${url}\n//${new URL(url).host}/:_authToken=${token}\n`;
}

/** In front of the registry, one with npm's rules. */
async function startStaging(registry) {
  const port = await freePort();
  const server = createStagingRegistry(registry);
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${port}/`, close: () => server.closeAllConnections() ?? server.close() };
}

async function checkThatFails(work, ...expected) {
  const output = await work().catch((error) => error.message);
  const missing = expected.filter((one) => !output.includes(one));
  if (missing.length > 0) throw new Error(`Expected ${missing.join(" and ")} in:\n${output}`);
}

/** The first release as docs/api-teams.md has it: by a workflow that may stage, and a person who approves. */
async function stageAndApprove(tree, { env, registry, versions }) {
  const staging = await startStaging(registry);
  const releasing = { ...env, npm_config_registry: staging.url };
  const as = (token) => writeFile(join(tree, ".npmrc"), npmrcOf(staging.url, token));
  const pnpm = (...args) => run("pnpm", args, { cwd: tree, env: releasing });
  const all = (output, text) => {
    const missing = names.filter((name) => !output.includes(text(name)));
    if (missing.length > 0) throw new Error(`${missing.join(", ")} missing in:\n${output}`);
  };
  await as(workflowToken);
  await step("check that provenance is asked for", () => checkProvenanceIsAskedFor(tree, releasing));
  await step("a workflow cannot publish", () =>
    checkThatFails(() => pnpm("--filter", names[0], "publish", "--no-git-checks"), "status 403"),
  );
  await step("nor stage what the registry does not know", () =>
    checkThatFails(() => pnpm("release"), "pnpm release --placeholders"),
  );
  await as(personToken);
  await step("a person publishes placeholders", () =>
    pnpm("release", "--placeholders", "--otp", oneTimePassword),
  );
  await as(workflowToken);
  await step(`stage ${versions[names[0]]}`, async () => {
    const output = await pnpm("release");
    all(output, (name) => `${name}@${versions[name]} (staged with id`);
    const packages = await Promise.all(
      names.map((name) => fetch(`${staging.url}${name.replace("/", "%2f")}`)),
    );
    for (const response of packages) {
      const { versions: visible } = await response.json();
      if (Object.keys(visible).join() !== "0.0.0-stage")
        throw new Error("A staged version can be installed.");
    }
  });
  await step("stage again, with npm: nothing twice", async () => {
    const output = await pnpm("release", "--npm");
    if (output.split("staged before").length !== names.length + 1) throw new Error(output);
  });
  const { items } = await (await fetch(`${staging.url}-/stage`)).json();
  const approve = ["stage", "approve", ...items.map(({ id }) => id)];
  await step("approve, which needs a second factor", async () => {
    await as(personToken);
    await checkThatFails(() => pnpm(...approve), "OTP");
    await pnpm(...approve, "--otp", oneTimePassword);
  });
  staging.close();
  await writeFile(join(tree, ".npmrc"), registry.npmrc);
}

async function untilReady(url, { hasEnded = () => false, seconds = 120 } = {}) {
  for (let tries = 0; tries < seconds * 4 && !hasEnded(); tries++) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`${url} does not respond.`);
}

/** A partner's machine: plain npm and the Node on the PATH, without what `pnpm` puts there. */
const path = process.env.PATH.split(":").filter((one) => !one.includes("node_modules"));
const partner = { PATH: path.join(":"), NODE_OPTIONS: "" };
/** The machine of somebody whose Node is the one that the service needs. */
const ownNode = { PATH: [dirname(process.execPath), ...path].join(":") };

async function installAndUse(folder, npmrc, versions) {
  await writeFile(join(folder, ".npmrc"), npmrc);
  await writeFile(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  const cache = join(folder, "npm-cache");
  const { engines } = JSON.parse(await readFile(join(root, "apps/mock/package.json"), "utf8"));
  const oldestNode = engines.node.replace(">=", "");
  const packages = names.map((name) => `${name}@${versions[name]}`);
  const install = ["install", "--no-audit", "--no-fund", "--cache", cache];
  await run("npm", [...install, ...packages, `${nodePackage}@${oldestNode}`], { cwd: folder, env: partner });
  await checkInstalled(join(folder, "node_modules/@product-search"), versions);

  const port = await freePort();
  const startedAt = Date.now();
  const command = join(folder, "node_modules/.bin/product-search-mock");
  const mock = spawn(
    join(folder, `node_modules/${nodePackage}/bin/node`),
    [command, "--port", String(port)],
    {
      cwd: folder,
      env: { ...process.env, ...partner },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  children.push(mock);
  await untilReady(`http://127.0.0.1:${port}/healthz`);
  const startMs = Date.now() - startedAt;
  const use = await writePrograms(folder, port);
  const { stdout: node } = await execute("node", ["--version"], { env: { ...process.env, ...partner } });
  for (const program of use) await useWith("node", [program], { cwd: folder, env: partner });
  return { node: node.trim(), oldestNode, startMs, programs: use, install, port };
}

/** The client as ES module and CommonJS, and the example of the partners' page. */
async function writePrograms(folder, port) {
  const page = await readFile(join(root, "docs/partners.md"), "utf8");
  const example = /<!-- test: partner -->\n```js\n([\s\S]*?)```/.exec(page)?.[1];
  if (!example) throw new Error("docs/partners.md has no partner example.");
  const call = `createClient({ baseUrl: "http://127.0.0.1:${port}/api/v1", token: "any" }).searchTrial({ q: "mug" }).then(({ Products }) => console.log(Products.length))`;
  const programs = {
    "use.mjs": `import { createClient } from "@product-search/client";\n${call};\n`,
    "use.cjs": `const { createClient } = require("@product-search/client");\n${call};\n`,
    "alert.mjs": example.replaceAll("127.0.0.1:4010", `127.0.0.1:${port}`),
  };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  return Object.keys(programs);
}

/** Each program ends with a line that tells of what it has found. */
async function useWith(command, args, options) {
  const printed = (await run(command, args, options)).trim();
  if (!/^([1-9]\d*|\d+ lamps\n.+: [\d.]+ → [\d.]+)$/.test(printed))
    throw new Error(`${command} ${args.join(" ")} printed "${printed}".`);
}

/** For hangs. */
const installTimeoutMs = 400_000;
const { platform, arch } = process;
const nodePackage = `node-${platform}-${arch}`;
const bunPackage = `bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`;

/** Other runtimes of the client, as far as the registry has them for this machine. Their packages need no install scripts. */
const runtimes = [
  ...[18, 20, 22, 24, 26].map((version) => ({
    name: `Node ${version}`,
    package: `${nodePackage}@${version}`,
    command: `node_modules/${nodePackage}/bin/node`,
  })),
  { name: "Bun", package: "bun", command: `node_modules/@oven/${bunPackage}/bin/bun`, args: ["run"] },
  { name: "Deno", package: "deno", command: "node_modules/.bin/deno", args: ["run", "--allow-all"] },
];

/** The version that was tested, or why none was. */
async function useWithRuntime(folder, { package: wanted, command, args = [] }, { install, programs }) {
  const runtime = await mkdtemp(join(folder, "runtime-"));
  await writeFile(join(runtime, "package.json"), '{ "name": "runtime", "private": true }\n');
  const executable = join(runtime, command);
  const options = { cwd: runtime, env: partner, timeout: installTimeoutMs };
  let version;
  try {
    await run("npm", [...install, "--ignore-scripts", wanted], options);
    version = await run(executable, ["--version"], options);
  } catch (error) {
    return `skipped: ${wanted} cannot be installed here (${error.message.match(/E\d+|E[A-Z]+/)?.[0] ?? "it does not run"})`;
  }
  for (const program of programs)
    await useWith(executable, [...args, join(folder, program)], { cwd: folder, env: partner });
  return version.trim().split("\n")[0];
}

const pnpm = ["--yes", "pnpm@12.21.0"];
const yarn = ["--yes", "--package=@yarnpkg/cli-dist@4.18.1", "yarn"];

const yarnSettings = (folder, registry) => ({
  YARN_GLOBAL_FOLDER: join(folder, "yarn"),
  YARN_NODE_LINKER: "node-modules",
  YARN_ENABLE_SCRIPTS: "false",
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  YARN_ENABLE_TELEMETRY: "false",
  YARN_NPM_REGISTRY_SERVER: registry,
  YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
  // The packages are of today.
  YARN_NPM_MINIMAL_AGE_GATE: "0",
});

/** Other package managers. */
const managers = [
  { name: "pnpm", install: [...pnpm, "add", "--ignore-scripts"] },
  { name: "Yarn", install: [...yarn, "add"] },
];

/**
 * How each package manager is called, and how it runs a package that is not installed. Yarn takes longest: it downloads the Node of
 * every platform, because those packages name theirs in another form than it reads, and unpacks them at each start.
 */
const launchers = [
  { name: "npm", manager: ["npx"], command: ["--yes"] },
  { name: "npm and Node 26", manager: ["npx"], command: ["--yes"], env: ownNode, bringsNode: false },
  { name: "pnpm", manager: ["npx", ...pnpm], command: ["dlx"] },
  { name: "Yarn", manager: ["npx", ...yarn], command: ["dlx"] },
  { name: "Bun", manager: ["npx", "--yes", "bun"], command: ["x"] },
];

const launchLimitSeconds = 480;

/** The service as a user starts it, with empty caches and then again: the seconds until it is ready, or why it could not be tried. */
async function startServer(folder, { url }, launcher, version) {
  const { command, manager, name, bringsNode = true } = launcher;
  const home = await mkdtemp(join(folder, "server-"));
  await writeFile(join(home, "package.json"), '{ "name": "user", "private": true }\n');
  // Users have no token here. With one, the registry would check a password at each request, a tenth of a second of one core.
  await writeFile(join(home, ".npmrc"), `registry=${url}\n`);
  await writeFile(join(home, "pnpm-workspace.yaml"), "minimumReleaseAge: 0\n");
  await mkdir(join(home, "tmp"));
  const env = {
    ...process.env,
    ...partner,
    ...yarnSettings(home, url),
    ...launcher.env,
    HOME: home,
    // Bun keeps what it has run there.
    TMPDIR: join(home, "tmp"),
    XDG_CACHE_HOME: join(home, "cache"),
    DATA_DIR: join(home, "data"),
  };
  Object.assign(env, { npm_config_registry: url, npm_config_cache: join(home, "npm"), THREADS: "2" });
  const seconds = [];
  // The package manager itself is not part of what is measured.
  const [program, ...first] = manager;
  try {
    await run(program, [...first, "--version"], { cwd: home, env, timeout: installTimeoutMs });
  } catch (error) {
    return `skipped: ${name} cannot be installed here (${error.message.match(/E\d+|E[A-Z]+/)?.[0] ?? "it does not run"})`;
  }
  for (let turn = 0; turn < 2; turn++) {
    const port = await freePort();
    const startedAt = Date.now();
    const child = spawn(program, [...first, ...command, `@product-search/server@${version}`], {
      cwd: home,
      env: { ...env, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    // The service too: it may outlive the package manager, and both write there.
    const ended = new Promise((resolve) => child.once("close", resolve));
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    try {
      const hasEnded = () => child.exitCode !== null;
      await untilReady(`http://127.0.0.1:${port}/readyz`, { hasEnded, seconds: launchLimitSeconds });
      seconds.push(((Date.now() - startedAt) / 1000).toFixed(1));
      const trial = await fetch(`http://127.0.0.1:${port}/api/v1/search/trial?q=lamp`);
      if ((await trial.json()).Products.length !== 5) throw new Error("The trial search found no lamps.");
    } catch (cause) {
      throw new Error(`The service did not start with ${name}:\n${errors.slice(-2000)}`, { cause });
    } finally {
      if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await ended;
    }
  }
  const node = await run("find", [home, "-path", `*/${nodePackage}/bin/node`]);
  if (!bringsNode && node !== "") throw new Error(`${name} has installed a Node that is not needed: ${node}`);
  return `ready after ${seconds[0]} s with empty caches, ${seconds[1]} s the second time`;
}

/** The packages as another manager installs them, used in the same way. */
async function useWithManager(folder, npmrc, { install: command, name }, { programs, versions, registry }) {
  const project = await mkdtemp(join(folder, "manager-"));
  await writeFile(join(project, ".npmrc"), npmrc);
  await writeFile(
    join(project, "package.json"),
    '{ "name": "managed", "private": true, "type": "module" }\n',
  );
  await writeFile(join(project, "pnpm-workspace.yaml"), "minimumReleaseAge: 0\n");
  // Else Yarn takes the folder above for the project.
  await writeFile(join(project, "yarn.lock"), "");
  // The service is started by each manager below.
  const packages = names.filter((one) => !one.includes("/server")).map((one) => `${one}@${versions[one]}`);
  const cache = { npm_config_cache: join(folder, "npm-cache"), ...yarnSettings(project, registry) };
  await run("npx", [...command, ...packages], {
    cwd: project,
    env: { ...partner, ...cache, npm_config_registry: registry },
    timeout: installTimeoutMs,
  });
  for (const program of programs) {
    const copy = join(project, program);
    await writeFile(copy, await readFile(join(folder, program), "utf8"));
    await useWith("node", [copy], { cwd: project, env: partner });
  }
  return name;
}

/** The shop page as somebody copies it: its packages come from the registry, and it renders what the mock finds. */
async function buildShop(folder, tree, { port, install }) {
  const copy = await mkdtemp(join(folder, "shop-"));
  await run("pnpm", ["pack", "--out", join(copy, "shop.tgz")], { cwd: join(tree, "apps/storefront") });
  await run("tar", ["-xzf", "shop.tgz", "--strip-components=1"], { cwd: copy });
  await writeFile(join(copy, ".npmrc"), await readFile(join(folder, ".npmrc")));
  const options = { cwd: copy, env: partner, timeout: installTimeoutMs };
  await run("npm", [...install, "--ignore-scripts"], options);
  await run("npm", ["run", "build"], options);
  await writeFile(
    join(copy, "render.mjs"),
    `import { renderPage } from "./dist/server/server.js";
const service = { baseUrl: "http://127.0.0.1:${port}/api/v1", token: "any", currency: "USD" };
const page = await renderPage(new URL("http://127.0.0.1:${port}/shop"), service);
console.log(page.content.split('<article class="card">').length - 1);
`,
  );
  await useWith("node", ["render.mjs"], options);
}

const importers = ["openapi-to-postmanv2@6.3.3", "@usebruno/converters@0.23.0"];

/** The document as people open it who click: in Postman and Bruno. */
async function sendCollections(folder, { port, install }) {
  const tools = await mkdtemp(join(folder, "collections-"));
  await writeFile(join(tools, "package.json"), '{ "name": "collections", "private": true }\n');
  await run("npm", [...install, "--ignore-scripts", ...importers], { cwd: tools, timeout: installTimeoutMs });
  const document = join(folder, "node_modules/@product-search/types/dist/openapi.json");
  const script = join(root, "scripts/send-collections.mjs");
  const sent = await run("node", [script, tools, document, `http://127.0.0.1:${port}/api/v1`], {
    env: partner,
  });
  return sent.trim().replaceAll("\n", ", ");
}

const maxImageMb = 120;

/** What deploy/Dockerfile adds to its base, made by its steps in a folder in place of `/app`, without a container. */
async function checkImage(folder, registry, version) {
  const parent = await mkdtemp(join(folder, "image-"));
  const app = join(parent, "app");
  await mkdir(app);
  await writeFile(join(app, ".npmrc"), registry.npmrc);
  const text = (await readFile(join(root, "deploy/Dockerfile"), "utf8")).replaceAll("\\\n", " ");
  const [, command] = /^RUN (npm install .+)$/m.exec(text) ?? [];
  const [, entry] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(text) ?? [];
  if (!command || !entry) throw new Error("deploy/Dockerfile does not install the package.");
  const steps = command.replaceAll("/archive/", join(parent, "archive/"));
  const env = {
    ...partner,
    ...ownNode,
    PACKAGE: `@product-search/server@${version}`,
    npm_config_cache: join(folder, "npm-cache"),
  };
  await run("bash", ["-o", "pipefail", "-c", steps], { cwd: app, env, timeout: installTimeoutMs });
  const bytes = Number(await run("bash", ["-c", "tar --create . | gzip | wc --bytes"], { cwd: app }));
  if (bytes > maxImageMb * 1e6)
    throw new Error(`The image has ${Math.round(bytes / 1e6)} MB above its base.`);
  const port = await freePort();
  const child = spawn(process.execPath, [join(app, entry), "serve"], {
    cwd: app,
    env: { ...ownNode, NODE_ENV: "production", PORT: String(port), DATA_DIR: join(parent, "data") },
    stdio: ["ignore", "ignore", "ignore"],
  });
  children.push(child);
  await untilReady(`http://127.0.0.1:${port}/readyz`);
  for (const page of ["/", "/shop", "/api/v1/search/trial?q=lamp"])
    await untilReady(`http://127.0.0.1:${port}${page}`, { seconds: 1 });
  child.kill("SIGTERM");
  return `${(bytes / 1e6).toFixed(1)} MB compressed`;
}

async function checkInstalled(folder, versions) {
  const document = JSON.parse(await readFile(join(folder, "types/dist/openapi.json"), "utf8"));
  if (!document.openapi) throw new Error("The types carry no OpenAPI document.");
  for (const name of names.map((full) => full.split("/")[1])) {
    const changes = await readFile(join(folder, name, "CHANGELOG.md"), "utf8");
    if (!changes.includes(`## ${versions[`@product-search/${name}`]}`))
      throw new Error(`The CHANGELOG of ${name} does not name the version.`);
    const { repository } = JSON.parse(await readFile(join(folder, name, "package.json"), "utf8"));
    if (repository?.url !== "git+https://git.example/acme/search.git")
      throw new Error(`${name} does not name its repository: npm would refuse its provenance.`);
  }
}

/** The workflow requests provenance through the environment. Outside a workflow, this must stop the release. */
async function checkProvenanceIsAskedFor(tree, env) {
  const wanted = "ERR_PNPM_PROVENANCE_UNSUPPORTED_PROVIDER";
  const output = await run("pnpm", ["release"], {
    cwd: tree,
    env: { ...env, PNPM_CONFIG_PROVENANCE: "true" },
  }).catch((error) => error.message);
  if (!output.includes(wanted)) throw new Error(`PNPM_CONFIG_PROVENANCE has no effect:\n${output}`);
}

const folder = await mkdtemp(join(tmpdir(), "rehearse-release-"));
try {
  const tree = join(folder, "tree");
  // Without the workflow's environment, so that nothing can be signed in its name.
  const outside = { GITHUB_ACTIONS: "", GITLAB_CI: "", ACTIONS_ID_TOKEN_REQUEST_URL: "" };
  const repository = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "acme/search" };
  const env = { CI: "true", TURBO_TELEMETRY_DISABLED: "1", ...outside, ...repository };
  await step("copy what is committed", () => run("git", ["clone", "--quiet", "--no-hardlinks", root, tree]));
  await step("install", () =>
    run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: tree, env }),
  );
  await writeFile(
    join(tree, ".changeset/rehearsal.md"),
    `---\n${names.map((name) => `"${name}": minor`).join("\n")}\n---\n\nA rehearsal.\n`,
  );
  await step("raise the versions", () => run("pnpm", ["version-packages"], { cwd: tree, env }));
  const versions = {};
  for (const name of names) {
    const [, short] = name.split("/");
    const parent = existsSync(join(tree, "apps", short)) ? "apps" : "packages";
    const path = join(tree, parent, short, "package.json");
    versions[name] = JSON.parse(await readFile(path, "utf8")).version;
  }
  if (new Set(Object.values(versions)).size !== 1)
    throw new Error(`The versions differ: ${JSON.stringify(versions)}`);
  const readme = await readFile(join(tree, "README.md"), "utf8");
  if (/```sh\n(.+)/.exec(readme)?.[1] !== "npx @product-search/server")
    throw new Error("The README of a release does not start with the package.");
  const registry = await step("start a registry", () => startRegistry(folder));
  await stageAndApprove(tree, { env, registry, versions });
  const empty = await mkdtemp(join(folder, "empty-"));
  const used = await step("install into an empty folder, start the mock, run the partner example", () =>
    installAndUse(empty, registry.npmrc, versions),
  );
  console.log(
    `  with ${used.node}; the mock with Node ${used.oldestNode} responded ${(used.startMs / 1000).toFixed(1)} s after its start`,
  );
  const sent = await step("open the document in Postman and Bruno, send every request", () =>
    sendCollections(empty, used),
  );
  console.log(`  ${sent}`);
  const image = await step("the steps of the image", () =>
    checkImage(folder, registry, versions["@product-search/server"]),
  );
  console.log(`  ${image}`);
  await step("copy the shop page, build it, render what the mock finds", () => buildShop(empty, tree, used));
  const installed = { ...used, versions, registry: registry.url };
  for (const manager of managers) {
    await step(`the same, installed with ${manager.name}`, () =>
      useWithManager(empty, registry.npmrc, manager, installed),
    );
  }
  for (const launcher of launchers) {
    const outcome = await step(`start the service with ${launcher.name}`, () =>
      startServer(folder, registry, launcher, versions["@product-search/server"]),
    );
    console.log(`  ${outcome}`);
  }
  for (const runtime of runtimes) {
    const outcome = await step(`the same with ${runtime.name}`, () => useWithRuntime(empty, runtime, used));
    console.log(`  ${outcome}`);
  }
  console.log(`\nRehearsed ${names.join(", ")} at ${versions[names[0]]}.`);
} finally {
  for (const child of children) child.kill("SIGTERM");
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
