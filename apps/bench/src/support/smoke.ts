import { spawn } from "node:child_process";

/** Options with which a task takes a few seconds, or what it needs that a build machine lacks. */
export type Smoke = readonly string[] | { readonly needs: string };

/** Most of them wait most of the time: for servers and for the ends of measured seconds. */
const atOnce = 4;
/** Only a task that hangs is to end here, not one on a busy machine. */
const timeoutMs = 300_000;
const maxLines = 40;

/** Runs every task at a small size in a process of its own, prints which failed, and returns their number. */
export async function runSmoke(
  command: string,
  tasks: Readonly<Record<string, { smoke: Smoke }>>,
  argumentsOf: (name: string, options: readonly string[]) => readonly string[],
): Promise<number> {
  let [passed, failed, skipped] = [0, 0, 0];
  const waiting = Object.entries(tasks);
  const runNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    const [name, { smoke }] = next;
    const title = `pnpm ${command} ${name}`;
    if ("needs" in smoke) {
      skipped += 1;
      console.log(`SKIPPED: ${title} | it needs ${smoke.needs}`);
      return runNext();
    }
    const startedMs = performance.now();
    const { fault, output } = await runOne(argumentsOf(name, smoke));
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (fault === undefined) passed += 1;
    else failed += 1;
    console.log(`${title}: ${fault === undefined ? "passed" : `FAILED (${fault})`} in ${seconds} s`);
    if (fault !== undefined) console.log(output.trimEnd().split("\n").slice(-maxLines).join("\n"));
    return runNext();
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed;
}

function runOne(args: readonly string[]): Promise<{ fault: string | undefined; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let [figures, output] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      figures += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", (error) => resolve({ fault: error.message, output }));
    child.on("close", (code, signal) => {
      if (signal !== null)
        resolve({ fault: `ended by ${signal}, perhaps after ${timeoutMs / 1000} s`, output });
      else if (code !== 0) resolve({ fault: `status ${code}`, output });
      else resolve({ fault: figures.trim() === "" ? "it printed no figures" : undefined, output });
    });
  });
}
