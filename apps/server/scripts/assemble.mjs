// Puts the built service, the console and the data that they read into dist/, as a partner's machine will have them: run by
// `pnpm pack` and `pnpm publish`. What the service looks up as a package lies in a node_modules folder beside its code, so the
// same code runs here and in a checkout. Native parts are trimmed to the platforms that the service runs on.
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = join(folder, "../..");
const dist = join(folder, "dist");
const api = join(root, "apps/api");
const modules = join(dist, "api/dist/node_modules");

/** Packages of others with files that are read at run time, and which files those are. */
const trimmed = {
  "dictionary-en": ["index.{aff,dic,js}"],
  usearch: ["javascript/dist/cjs/*.{js,json}", "prebuilds/{linux,darwin}*/*"],
  "node-gyp-build": ["*.js"],
  bindings: ["*.js"],
  "file-uri-to-path": ["index.js"],
  // Its native parts are dependencies of this package: sharp itself names 25, and npm asks the registry for one after the other.
  sharp: ["dist/*.{cjs,mjs}"],
  "@img/colour": ["*.cjs"],
  "detect-libc": ["lib/*.js"],
  semver: ["**/*.js"],
};

/** pnpm links a dependency into the package that declares it, or beside it. */
function findPackage(name, users) {
  const paths = users.flatMap((user) =>
    ["node_modules", "..", "../.."].map((folder) => join(user, folder, name)),
  );
  const path = paths.find((one) => existsSync(join(one, "package.json")));
  if (!path) throw new Error(`${name} is not installed. Run: npx pnpm@12.21.0 install`);
  return realpathSync(path);
}

function copyFiles(from, to, patterns) {
  const files = globSync(patterns, { cwd: from });
  if (files.length === 0) throw new Error(`${from} has no ${patterns.join(", ")}.`);
  for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true, dereference: true });
}

/** What our own packages export that is no source: data, and the document. */
function copyData(path) {
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const targets = Object.values(manifest.exports ?? {}).filter(
    (target) => typeof target === "string" && !/\.[jt]s$|\*/.test(target) && target !== "./package.json",
  );
  const folders = ["weights", "built"].filter((name) => existsSync(join(path, name)));
  if (targets.length + folders.length === 0) return;
  copyFiles(path, join(modules, manifest.name), ["package.json", ...targets, ...folders]);
}

rmSync(dist, { recursive: true, force: true });
for (const built of ["api/dist/main.js", "console/dist/index.html", "storefront/dist/index.html"]) {
  if (!existsSync(join(root, "apps", built)))
    throw new Error(`apps/${built} is missing. Run: pnpm exec turbo run build`);
}
cpSync(join(api, "dist"), join(dist, "api/dist"), {
  recursive: true,
  filter: (path) => !path.endsWith(".map"),
});
writeFileSync(join(dist, "api/package.json"), '{ "type": "module" }\n');
for (const page of ["console", "storefront"])
  cpSync(join(root, "apps", page, "dist"), join(dist, page, "dist"), { recursive: true });
cpSync(join(root, "packages/marketplaces/profiles"), join(dist, "profiles"), { recursive: true });
for (const name of ["spec", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`)])
  copyData(join(root, name));
/** A dependency may belong to one of those that come before it. */
const users = [api, ...["text-search", "stores", "vision"].map((name) => join(root, "packages", name))];
for (const [name, patterns] of Object.entries(trimmed)) {
  const path = findPackage(name, users);
  users.push(path);
  mkdirSync(join(modules, name), { recursive: true });
  copyFiles(path, join(modules, name), ["package.json", "{LICENSE,LICENCE,license}*", ...patterns]);
}
const optionalOf = (path) =>
  JSON.parse(readFileSync(join(path, "package.json"), "utf8")).optionalDependencies;
const nativeParts = optionalOf(join(modules, "sharp"));
for (const [name, version] of Object.entries(optionalOf(folder))) {
  if (name.startsWith("@img/") && version !== nativeParts[name])
    throw new Error(`sharp needs ${name} ${nativeParts[name]}, and apps/server/package.json has ${version}.`);
}
cpSync(join(folder, "main.js"), join(dist, "main.js"));
chmodSync(join(dist, "main.js"), 0o755);
