import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const maxLines = 120;
const maxLinesOfError = 12;

/**
 * Copies the output of a step, and keeps the lines that name a failed test, and its error up to the place in the code. A log
 * of many thousand lines is often cut, so the caller prints them again at its end.
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
      let linesOfError = 0;
      createInterface({ input: from }).on("line", (text) => {
        const line = stripVTControlCharacters(text).trimEnd();
        if (/(?:^|: ) FAIL {2}/.test(line)) {
          keep(line);
          isErrorAwaited = true;
          linesOfError = 0;
        } else if (isErrorAwaited && /(?:^|: )\w*Error: /.test(line)) {
          keep(line);
          isErrorAwaited = false;
          linesOfError = maxLinesOfError;
        } else if (linesOfError > 0) {
          linesOfError = /(?:^|: ) ❯ /.test(line) ? 0 : linesOfError - 1;
          keep(line);
        }
      });
    },
  };
}
