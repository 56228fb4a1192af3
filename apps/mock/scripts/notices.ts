import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The licences of the packages that were bundled, as they ask for. `files` are the bundled files. */
export async function noticesOf(files: string[]): Promise<string> {
  const folders = new Set(
    files.flatMap((file) => file.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  const notices = await Promise.all([...folders].map(noticeOf));
  return `The mock contains these packages.\n\n${[...new Set(notices)].toSorted().join("\n")}`;
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license, licenses } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return `=== ${name} ${version} (${license ?? licenses?.[0]?.type})\n${texts.map((text) => `\n${text.trim()}\n`).join("")}`;
}
