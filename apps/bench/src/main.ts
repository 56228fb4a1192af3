import { benchmarks } from "./benchmarks.ts";
import { dispatch } from "./support/dispatch.ts";

await dispatch("bench", benchmarks, process.argv.slice(2));
