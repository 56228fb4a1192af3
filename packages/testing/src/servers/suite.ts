import { describe, test } from "vitest";

/** `pnpm test --servers` runs only suites with this tag. */
const options = { tags: ["servers"] };

/**
 * A suite that needs a server, or another program that a fresh machine lacks; `missing` says why it cannot run. Then its
 * body is not called at all (`describe.skip` would call it), so nothing in it can read the address of a server that is not there.
 */
export function describeOnServer(name: string, missing: string | undefined, body: () => void): void {
  if (missing === undefined) describe(name, options, body);
  else skipSuite(name, missing, options);
}

/** The same for a program that may be there by chance and that no part of `.ci/run` installs. */
export function describeWhere(name: string, missing: string | undefined, body: () => void): void {
  if (missing === undefined) describe(name, body);
  else skipSuite(name, missing, {});
}

function skipSuite(name: string, missing: string, { tags = [] }: { tags?: string[] }): void {
  // `pnpm test` prints these lines again at its end.
  console.warn(`SKIPPED: ${name} | ${missing}`);
  describe.skip(name, { tags }, () => test(`was not run: ${missing}`, () => {}));
}
