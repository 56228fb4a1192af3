import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";

const dataDir = makeDataDir();
const environment = { DATA_DIR: dataDir, WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
/** What the developer's own handler received, and what it responds with. */
const received: { headers: Record<string, string>; body: string }[] = [];
let status = 204;
const handler = createServer(async (request, response) => {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, `${value}`]);
  received.push({ headers: Object.fromEntries(headers), body: await text(request) });
  response.writeHead(status).end();
});
let service: RunningService;

beforeAll(async () => {
  service = await serve(environment);
  handler.listen(0, "127.0.0.1");
  await once(handler, "listening");
});
afterAll(async () => {
  service.child.kill("SIGKILL");
  await service.exit;
  handler.close();
  removeDataDir(dataDir);
});

const finished = (...args: string[]) => runCommand(["webhooks", ...args], { DATA_DIR: dataDir });

/** `listen --forward-to` with a webhook of its own. */
async function startListening(...args: string[]) {
  const { port } = handler.address() as AddressInfo;
  const target = `http://127.0.0.1:${port}/hook`;
  const listener = run(["webhooks", "listen", "--forward-to", target, "--json", ...args], {
    DATA_DIR: dataDir,
  });
  for (;;) {
    const key = /signing key.*: (whsec_\S+)/.exec(listener.output())?.[1];
    if (key) return { ...listener, key };
    await Promise.race([
      setTimeout(50),
      listener.exit.then(() => Promise.reject(new Error(listener.output()))),
    ]);
  }
}

it("forwards a triggered event to the handler of a developer, signed with the key that it prints", async () => {
  const listener = await startListening("--count", "1", "--type", "stock.alert");
  expect(await finished("trigger", "stock.alert")).toMatchObject({ code: 0 });
  expect(await listener.exit).toBe(0);
  const delivery = received.at(-1);
  const event = new Webhook(listener.key).verify(delivery?.body ?? "", delivery?.headers ?? {});
  expect(event).toMatchObject({ type: "stock.alert", data: { test: true } });
  expect(listener.output()).toContain('"forwarded":{"status":204}');
  expect(await finished("list")).toMatchObject({
    code: 0,
    output: expect.stringContaining("No webhooks yet"),
  });
});

it("responds to the service with the status of the handler, and removes its webhook when it is stopped", async () => {
  status = 503;
  const listener = await startListening();
  await finished("trigger", "price.alert");
  while (!listener.output().includes('"forwarded":{"status":503}')) await setTimeout(50);
  const { output } = await finished("list");
  const id = /wh_\w+/.exec(output)?.[0] ?? "";
  // The response is stored after the handler has given it.
  while (!(await finished("deliveries", id)).output.includes("503")) await setTimeout(50);
  listener.child.kill("SIGINT");
  expect(await listener.exit).toBe(0);
  expect((await finished("list")).output).toContain("No webhooks yet");
});

it("says what to start when nothing listens, and refuses a target that is no URL", async () => {
  expect(await finished("trigger", "price.alert")).toMatchObject({
    code: 1,
    output: expect.stringContaining("listen --forward-to URL --type price.alert"),
  });
  expect(await finished("listen", "--forward-to", "localhost:8080")).toMatchObject({
    code: 1,
    output: expect.stringContaining("--forward-to"),
  });
});
