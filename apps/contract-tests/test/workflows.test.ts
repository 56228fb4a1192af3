import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { verifyWebhook } from "@product-search/client";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalService } from "../src/local-service.ts";
import { startMockProcess } from "./mock-process.ts";

const redocly = fileURLToPath(new URL("../node_modules/.bin/redocly", import.meta.url));
const workflows = fileURLToPath(new URL("../../../spec/workflows/", import.meta.url));

interface Run {
  passed: boolean;
  output: string;
  /** The key that the workflow received with its webhook. */
  apiKey?: string;
}

/** Runs a workflow with Redocly Respect, which also compares every response with the document. */
async function respect(name: string, baseUrl: string, inputs: Record<string, unknown>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "workflows-"));
  const har = join(folder, "run.har");
  const parts = ["-S", `service=${baseUrl}`, "-i", JSON.stringify(inputs), "-H", har];
  const settings = {
    env: {
      ...process.env,
      // turbo asks for colours.
      ...{ FORCE_COLOR: "0", NO_COLOR: "1" },
      ...{ REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
    cwd: workflows,
  };
  try {
    const { stdout } = await promisify(execFile)(
      redocly,
      ["respect", `${name}.arazzo.yaml`, "--no-secrets-masking", ...parts],
      settings,
    );
    const apiKey = /whsec_[\w+/=-]+/.exec(await readFile(har, "utf8"))?.[0];
    return { passed: true, output: stdout, ...(apiKey !== undefined && { apiKey }) };
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "stderr" in error)) throw error;
    return { passed: false, output: `${error.stdout}${error.stderr}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first image of a product, in base64. */
async function imageOfProduct(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/search/trial?q=mug`);
  const { Products } = (await response.json()) as { Products: { images: string[] }[] };
  const image = await fetch(String(Products[0]?.images[0]));
  expect(image.status).toBe(200);
  return Buffer.from(await image.arrayBuffer()).toString("base64");
}

it("runs every workflow of the document", async () => {
  const names = await readdir(workflows);
  expect(names.map((name) => name.replace(".arazzo.yaml", "")).toSorted()).toEqual([
    "image-to-similar",
    "search-to-price",
    "webhook-to-delivery",
    "write-to-search",
  ]);
});

describe.each([
  [
    "service",
    async () => {
      const { target, stop } = await startLocalService();
      return { ...target, stop };
    },
  ],
  ["mock", async () => ({ ...(await startMockProcess()), token: "any" })],
])("the %s", (_, start) => {
  let running: { baseUrl: string; token: string; stop(): Promise<void> };
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.stop());

  const passes = async (name: string, inputs: Record<string, unknown>) => {
    const run = await respect(name, running.baseUrl, { token: running.token, ...inputs });
    expect(run.passed, run.output).toBe(true);
    return run;
  };

  it("leads from a search to a price", () => passes("search-to-price", { q: "mug" }));

  it("leads from an image to similar products", async () => {
    const base64String = await imageOfProduct(running.baseUrl);
    await passes("image-to-similar", { base64String });
  });

  it("leads from a written product to a search", () =>
    passes("write-to-search", { id: "workflow-1", name: "Zinc lantern hook", price: 17.5 }));

  it("leads from a new webhook to a verified delivery", async () => {
    const receiver = await startReceiver();
    try {
      const { apiKey = "" } = await passes("webhook-to-delivery", { webhookUrl: receiver.url });
      expect(receiver.received).toHaveLength(1);
      for (const { body, headers } of receiver.received) {
        const event = await verifyWebhook(body, headers, apiKey);
        expect(event).toMatchObject({ type: "price.alert", data: { test: true } });
      }
    } finally {
      await receiver.close();
    }
  });

  it("fails if a step does not find what it needs", async () => {
    const run = await respect("search-to-price", running.baseUrl, { token: running.token, q: "qqxyzzy" });
    expect(run).toMatchObject({ passed: false, output: expect.stringContaining("step search") });
  });
});
