import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { textsOf } from "./docs-blocks.ts";
import { bash } from "./docs-service.ts";

const docs = inject("docs");

it("docs/add-a-marketplace.md has a profile that reads the response it shows", async () => {
  const [sampleResponse = "", profile = "", ...more] = textsOf("docs/add-a-marketplace.md", "profile");
  expect(more).toEqual([]);
  const asked: (string | undefined)[] = [];
  const shop = createServer(({ url, headers }, response) => {
    asked.push(url, String(headers["x-api-key"]));
    response.setHeader("content-type", "application/json").end(sampleResponse);
  });
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
  onTestFinished(() => {
    shop.closeAllConnections();
    shop.close();
  });
  const { port } = shop.address() as AddressInfo;
  const file = join(docs.folder, "my-shop.yaml");
  writeFileSync(file, profile.replace("https://api.shop.example", `http://127.0.0.1:${port}`));
  const settings = { MY_SHOP_KEY: "k", FETCH_ALLOW_NETWORKS: "127.0.0.0/8" };
  const output = await bash(docs, `pnpm --silent api marketplace try ${file} mug --count 20`, settings);
  expect(asked).toEqual(["/v2/find?text=mug&start=0&max=20", "k"]);
  expect(output).toContain("Mug & saucer");
  expect(output).toContain("12.5");
});
