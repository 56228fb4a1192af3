import { enableCompileCache, findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

// Imported first by every entry: otherwise a process and each of its ten threads would compile the same files. The cache is
// next to the installed packages, where only their owner can write. If nobody can write there, Node works without it.
const manifest = findPackageJSON(import.meta.url);
if (manifest) enableCompileCache({ directory: join(dirname(manifest), "node_modules/.cache/compile") });
