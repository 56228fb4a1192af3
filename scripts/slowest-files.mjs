import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const maxFiles = 10;
/** A unit test next to its source that takes longer waits for something, or should be in `test/`. */
const maxUnitTestSeconds = 10;

/** Reads from the output of steps how long each test file took. Turbo repeats the output of what it has cached. */
export function collectDurations() {
  /** By package and file. */
  const seconds = new Map();
  return {
    read(output) {
      createInterface({ input: output }).on("line", (text) => {
        const line = stripVTControlCharacters(text);
        const [, task = "", file, number, unit] =
          /^(?:(\S+): )?\s*[✓❯×] +(?:\w+ +)?(\S+\.test\.[cm]?tsx?) \(.*\)\s+([\d.]+)(ms|s)\b/u.exec(line) ??
          [];
        if (file === undefined) return;
        const name = [task.replace(/:test(?::(?:servers|histories))?$/, ""), file].filter(Boolean).join(" ");
        seconds.set(name, Number(number) / (unit === "ms" ? 1000 : 1));
      });
    },
    /** The ten slowest files, and a line for each unit test that takes too long. */
    slowest() {
      const sorted = [...seconds].toSorted(([, a], [, b]) => b - a);
      const tooSlow = sorted.filter(
        ([name, taken]) => /(?:^| )src\//.test(name) && taken > maxUnitTestSeconds,
      );
      return [
        `The slowest of ${sorted.length} test files:`,
        ...sorted.slice(0, maxFiles).map(([name, taken]) => `${taken.toFixed(1).padStart(7)} s  ${name}`),
        ...tooSlow.map(
          ([name, taken]) =>
            `!! ${name} takes ${taken.toFixed(1)} s; a unit test takes at most ${maxUnitTestSeconds} s. ` +
            "Inject its clock and limits, or move it to test/.",
        ),
      ];
    },
  };
}
