import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

interface Task {
  taskId: string;
  package: string;
  task: string;
  command: string;
  dependencies: string[];
}

const turbo = join(root, "node_modules/.bin/turbo");
const { stdout } = spawnSync(turbo, ["run", "test", "test:histories", "test:servers", "--dry=json"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
const tasks: Task[] = JSON.parse(stdout).tasks;

/** The packages whose suites run again after a change in this one. */
function suitesAfterChangeIn(folder: string): string[] {
  const name = `@product-search/${folder}`;
  const changed = new Set(tasks.filter((task) => task.package === name).map(({ taskId }) => taskId));
  // A dependency may be listed after the task that depends on it.
  for (let size = 0; size < changed.size; ) {
    size = changed.size;
    for (const { taskId, dependencies } of tasks)
      if (dependencies.some((one) => changed.has(one))) changed.add(taskId);
  }
  const suites = tasks.filter(
    ({ taskId, task, command }) =>
      changed.has(taskId) && task.startsWith("test") && command !== "<NONEXISTENT>",
  );
  return [...new Set(suites.map((suite) => suite.package.slice("@product-search/".length)))].sort();
}

it("after a change in the console, only its own suites and those of the package with the whole service run again", () => {
  expect(suitesAfterChangeIn("console")).toEqual(["console", "server"]);
});

it("after a change in a feature, the suites of what serves it run again", () => {
  expect(suitesAfterChangeIn("features")).toEqual(
    expect.arrayContaining(["api", "client", "console", "contract-tests", "features", "mock"]),
  );
});
