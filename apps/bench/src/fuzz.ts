import { parseArgs } from "node:util";
import { type FuzzFigures, runTarget } from "./fuzz/run-target.ts";
import { fuzzTargets } from "./fuzz/targets/index.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench fuzz [--inputs N] [--only NAME] [--seed N] [--json]

Changed inputs for every part that reads what others wrote. Each input must be accepted or refused as documented, within a bound of time,
and the memory must come back.

  --inputs N    in all (default 10000), shared by the parts: ${Object.entries(fuzzTargets)
    .map(([name, { share }]) => `${name} ${share * 100} %`)
    .join(", ")}
  --only NAME   one part, with all inputs
  --seed N      of the inputs (default 1); the same seed gives the same inputs

Ends with 1 when there is a finding.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      inputs: { type: "string", default: "10000" },
      only: { type: "string" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const { inputs, seed, only } = values;
  const onProgress = (progress: string) => process.stderr.write(`\r${progress}`);
  const figures = await fuzz({
    inputs: wholeNumber("--inputs", inputs),
    only,
    seed: wholeNumber("--seed", seed, 0),
    onProgress,
  });
  if (Object.values(figures).some(({ findings }) => findings.length > 0)) process.exitCode = 1;
  console.log(values.json ? JSON.stringify(figures) : figures);
}

export interface FuzzOptions {
  inputs: number;
  only?: string | undefined;
  seed: number;
  onProgress?: (progress: string) => void;
}

export async function fuzz({
  inputs,
  only,
  seed,
  onProgress,
}: FuzzOptions): Promise<Record<string, FuzzFigures>> {
  if (only !== undefined && fuzzTargets[only] === undefined) {
    throw new Error(`There is no part "${only}". Choose one of ${Object.keys(fuzzTargets).join(", ")}.`);
  }
  const figures: Record<string, FuzzFigures> = {};
  for (const [name, { share, open }] of Object.entries(fuzzTargets)) {
    if (only !== undefined && name !== only) continue;
    const target = await open();
    const count = Math.ceil(only === undefined ? inputs * share : inputs);
    try {
      figures[name] = await runTarget(target, {
        inputs: count,
        seed,
        onProgress: (done) => onProgress?.(`${name}: ${done} of ${count}   `),
      });
    } finally {
      await target.close?.();
    }
  }
  return figures;
}
