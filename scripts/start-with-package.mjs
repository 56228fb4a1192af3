// Part of `pnpm version-packages`: from the first release on, the README starts with the package instead of the checkout.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Replaces what stands between the marks by what the second one holds. Without marks, nothing changes. */
export function startWithPackage(text) {
  return text.replace(
    /<!-- until the first release -->\n[\s\S]*?<!-- from the first release on\n([\s\S]*?)-->\n/g,
    "$1",
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync("README.md", startWithPackage(readFileSync("README.md", "utf8")));
