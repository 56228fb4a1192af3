import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Imported first by whatever is started: a process and its ten threads would otherwise compile the same files each time.
// Beside the installed packages, whose owner alone may write there; where nobody may, Node goes on without.
enableCompileCache({ directory: join(import.meta.dirname, "../../../node_modules/.cache/compile") });
