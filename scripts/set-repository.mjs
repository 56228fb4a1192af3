// A step of `pnpm release`: writes the publishing repository into the packages. npm accepts a provenance statement only
// if package.json names the same repository. Outside a workflow there is none, and nothing changes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
if (server && repository) {
  for (const directory of [
    "packages/types",
    "packages/client",
    "packages/instantsearch",
    "apps/mock",
    "apps/server",
    "apps/server-node",
  ]) {
    const path = join(process.cwd(), directory, "package.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    manifest.repository = { type: "git", url: `git+${server}/${repository}.git`, directory };
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}
