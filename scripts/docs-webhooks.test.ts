import { expect, inject, it, onTestFinished } from "vitest";
import { freePort } from "../packages/testing/src/outbound-http/listen.ts";
import { textsOf } from "./docs-blocks.ts";
import { bash, runProgram, start } from "./docs-service.ts";
import { signedDelivery } from "./docs-signed-delivery.ts";

const docs = inject("docs");
const page = "docs/webhooks.md";

it("docs/webhooks.md leads to a verified price alert, and sends it again", async () => {
  const [create = "", listen = "", drop = "", look = "", ...more] = textsOf(page, "alert");
  expect(more).toEqual([]);
  const port = String(await freePort());
  const { data } = JSON.parse(await bash(docs, create.replace("4500", port)));
  const listener = await start(
    listen.replace("4500", port).replace("whsec_…", data.apiKey),
    {},
    new RegExp(port),
  );
  onTestFinished(listener.stop);
  await bash(docs, drop);
  const heard = await listener.until(/verified/);
  expect(heard).toContain("price.alert");

  const response = await fetch(`http://127.0.0.1:${docs.servicePort}/api/v1/webhooks/${data.id}/deliveries`, {
    headers: { authorization: `Bearer ${docs.token}` },
  });
  const [delivery] = ((await response.json()) as { data: { id: string }[] }).data;
  const output = await bash(
    docs,
    look.replaceAll("wh_…", data.id).replaceAll("dl_…", delivery?.id ?? "none"),
  );
  expect(output).toContain(data.id);
  expect(output).toContain(delivery?.id);
  await listener.until(/verified[\s\S]*verified/);
});

it.each(textsOf(page, "verify").map((text) => [text.split("\n")[0], text]))(
  "docs/webhooks.md verifies with %s",
  async (_, text) => {
    const output = await runProgram(docs, `${signedDelivery}\n${text}\nconsole.log(event.type);`);
    expect(output).toContain("price.alert");
  },
);
