// What `pnpm lint` checks, and `pnpm test` among its steps: one list, so that neither finds what the other does not.

/** Name, program and arguments. */
export const staticChecks = [
  ["formatting and lint", "biome", ["check", "--diagnostic-level=error", "."]],
  ["import rules", "depcruise", ["-c", ".dependency-cruiser.mjs", "packages", "apps", "spec"]],
  ["unused code and dependencies", "knip", []],
  ["types of the scripts", "tsc", ["-p", "scripts"]],
];
