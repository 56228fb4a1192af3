import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const maxLines = 60;

/**
 * Copies the output of a step, and keeps the lines that name a failed test and its error. A log of many thousand lines is
 * often cut, so the caller prints them again at its end.
 */
export function collectFailedTests() {
  const lines = new Set();
  const keep = (line) => {
    if (lines.size < maxLines) lines.add(line);
  };
  return {
    lines,
    copy(from, to) {
      from.on("data", (chunk) => to.write(chunk));
      let isErrorAwaited = false;
      createInterface({ input: from }).on("line", (text) => {
        const line = stripVTControlCharacters(text).trimEnd();
        if (/(?:^|: ) FAIL {2}/.test(line)) {
          keep(line);
          isErrorAwaited = true;
        } else if (isErrorAwaited && /(?:^|: )\w*Error: /.test(line)) {
          keep(line);
          isErrorAwaited = false;
        }
      });
    },
  };
}
