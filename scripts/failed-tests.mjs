import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const maxTests = 60;
const maxLinesOfError = 12;
/** Of all errors together. */
const maxErrorLines = 120;

/**
 * Copies the output of a step, and keeps the names of failed tests with their errors, up to the place in the code, and of
 * suites that were skipped. A log of many thousand lines is often cut, so the caller prints them again at its end.
 */
export function collectResults() {
  /** By the line that names the test: it may be printed several times. */
  const errors = new Map();
  let errorLines = 0;
  /** The suites by the reason why they were skipped. */
  const skipped = new Map();
  return {
    failed: () => [...errors].flatMap(([name, error]) => [name, ...error]),
    skipped: () =>
      [...skipped].map(
        ([reason, suites]) => `!! NOT run, because ${reason}:\n   ${[...suites].join("\n   ")}`,
      ),
    copy(from, to) {
      from.on("data", (chunk) => to.write(chunk));
      let error;
      let linesLeft = 0;
      const keep = (line) => {
        linesLeft -= 1;
        if (errorLines >= maxErrorLines) return;
        error.push(line);
        errorLines += 1;
      };
      createInterface({ input: from }).on("line", (text) => {
        const line = stripVTControlCharacters(text).trimEnd();
        const [, suite, reason] = /(?:^|: )SKIPPED: (.+?) \| (.+)$/.exec(line) ?? [];
        if (suite !== undefined) skipped.set(reason, (skipped.get(reason) ?? new Set()).add(suite));
        if (/(?:^|: ) FAIL {2}/.test(line)) {
          const isNew = !errors.has(line) && errors.size < maxTests;
          error = isNew ? [] : undefined;
          linesLeft = 0;
          if (isNew) errors.set(line, error);
        } else if (error === undefined) {
          return;
        } else if (linesLeft > 0) {
          keep(line);
          if (/(?:^|: ) ❯ /.test(line)) error = undefined;
        } else if (/(?:^|: )\w*Error: /.test(line)) {
          linesLeft = maxLinesOfError;
          keep(line);
        }
      });
    },
  };
}
