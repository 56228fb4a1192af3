import type { Tasks } from "./dispatch.ts";

/** `pnpm bench <name>`; each is loaded only when asked for. */
export const benchmarks: Tasks = {
  frame: {
    summary: "what routes, tokens, limits, validation and serialisation cost beside bare node:http",
    load: () => import("./frame.ts"),
  },
};
