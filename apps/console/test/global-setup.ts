import type { TestProject } from "vitest/node";
import { chromiumPath } from "./browser.ts";
import { startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: { url: string; token: string; dataDir: string };
  }
}

/** One live service for all the files of this folder; none where no browser could look at it. */
export async function setup(project: TestProject) {
  if (!chromiumPath) {
    project.provide("service", { url: "", token: "", dataDir: "" });
    return undefined;
  }
  const { url, token, dataDir, stop } = await startService();
  project.provide("service", { url, token, dataDir });
  return stop;
}
