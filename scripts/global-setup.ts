import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../packages/testing/src/outbound-http/listen.ts";
import { type DocsService, start } from "./docs-service.ts";

declare module "vitest" {
  interface ProvidedContext {
    docs: DocsService;
  }
}

/** One service and one mock for all tests of the documentation, started as the pages say. */
export async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "docs-test-"));
  const [servicePort, mockPort] = [await freePort(), await freePort()];
  const settings = { DATA_DIR: join(folder, "data"), PORT: String(servicePort), TRIAL_RATE_LIMIT: "0" };
  const service = await start("node apps/api/dist/main.js start", settings, /Ctrl-C/);
  const mock = await start(`node apps/mock/src/main.ts --port ${mockPort}`, {}, /http:/);
  const token = /pss_\w{36}/.exec(service.output)?.[0] ?? "";
  project.provide("docs", { servicePort, mockPort, token, folder });
  return async () => {
    await Promise.all([service.stop(), mock.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
}
