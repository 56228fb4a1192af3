import { dispatch } from "../support/dispatch.ts";
import { evaluations } from "./evaluations.ts";

await dispatch("eval", evaluations, process.argv.slice(2));
