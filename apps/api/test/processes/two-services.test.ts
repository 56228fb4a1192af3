import { expect, it } from "vitest";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

/** Log lines that report an error. */
const errorsIn = (output: string) => output.split("\n").filter((line) => /"level":[56]0/.test(line));

it("two services that start and stop on one empty folder at once log no error", {
  timeout: 120_000,
}, async () => {
  const dataDir = makeDataDir();
  const environment = { DATA_DIR: dataDir, THREADS: "1" };
  const services = await Promise.all([serve(environment), serve(environment)]);
  const { exit } = run(["sample", "--products", "50"], { DATA_DIR: dataDir });
  expect(await exit).toBe(0);
  await Promise.all(
    services.map(async ({ url }) => {
      while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise((next) => setTimeout(next, 50));
    }),
  );
  for (const { child } of services) child.kill("SIGTERM");
  for (const service of services) {
    expect(await service.exit).toBe(0);
    expect(errorsIn(service.output())).toEqual([]);
  }
  removeDataDir(dataDir);
});
