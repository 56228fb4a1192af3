import "./runtime/compile-cache.ts";
import { runCommandLine } from "./cli/command-line.ts";
import { showsStacks } from "./config.ts";

// Stack traces name the sources, not the bundle. Reading the maps would make every start a fifth slower.
if (showsStacks()) process.setSourceMapsEnabled(true);

await runCommandLine(process.argv.slice(2));
