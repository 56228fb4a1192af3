import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { chromiumPath, launch, openPage } from "./browser.ts";

const service = inject("service");
const execute = promisify(execFile);
let browser: Browser;
let folder: string;

/** A folder such as a developer would paste into: with the client, and with a picture. */
async function makeFolder(): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), "console-paste-"));
  mkdirSync(join(made, "node_modules/@product-search"), { recursive: true });
  const client = fileURLToPath(new URL("../../../packages/client", import.meta.url));
  symlinkSync(client, join(made, "node_modules/@product-search/client"));
  const answer = await fetch(`${service.url}/api/v1/search/trial?q=mug`);
  const { Products } = (await answer.json()) as { Products: { images: string[] }[] };
  const picture = await fetch(Products[0]?.images[0] ?? "");
  writeFileSync(join(made, "picture.jpg"), Buffer.from(await picture.arrayBuffer()));
  return made;
}

async function runCurl(text: string): Promise<string> {
  const { stdout } = await execute("bash", ["-c", `set -euo pipefail\n${text}`], options());
  return stdout;
}

async function runClient(text: string): Promise<string> {
  writeFileSync(join(folder, "pasted.mts"), text);
  const { stdout } = await execute(process.execPath, [join(folder, "pasted.mts")], options());
  return stdout;
}

const options = () => ({
  cwd: folder,
  env: { ...process.env, TOKEN: service.token },
  maxBuffer: 32 * 1024 * 1024,
});

/** Every request of the screen's panels, as curl and as client code. */
async function pastable(page: Page): Promise<{ title: string; curl: string; client: string }[]> {
  const found = [];
  for (const panel of await page.locator(".developer-panel").all()) {
    await panel.locator("summary").click();
    const choice = panel.getByLabel("Which request");
    const titles = (await choice.count()) > 0 ? await choice.locator("option").allTextContents() : [""];
    for (const title of titles) {
      if (title !== "") await choice.selectOption(title);
      await panel.getByRole("radio", { name: "curl" }).check();
      const curl = (await panel.locator("pre").textContent()) ?? "";
      await panel.getByRole("radio", { name: "Client" }).check();
      found.push({ title, curl, client: (await panel.locator("pre").textContent()) ?? "" });
    }
  }
  return found;
}

describe.runIf(chromiumPath)("what the console shows developers", () => {
  beforeAll(async () => {
    browser = await launch();
    folder = await makeFolder();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (path: string) => {
    const { page } = await openPage(browser, service.url, { token: service.token });
    await page.goto(path);
    return page;
  };
  const check = async (page: Page, least: number) => {
    const all = await pastable(page);
    expect(all.length).toBeGreaterThanOrEqual(least);
    for (const { title, curl, client } of all) {
      expect(await runCurl(curl), title).toMatch(
        /"(?:status|type)":"(?:success|products|done)"|"success":true/,
      );
      expect((await runClient(client)).length, title).toBeGreaterThan(1);
    }
  };

  it.each([
    ["/?q=it's a desk lamp&min=10&sort=price:relevance&order=desc", ".results article.card", 1],
    ["/marketplaces?q=mug", ".results article.card", 2],
    ["/brands/Nobody", ".notice", 1],
  ])("%s runs when it is pasted", async (path, sign, least) => {
    const page = await open(path);
    await page.locator(sign).first().waitFor();
    await check(page, least);
  });

  it("a conversation runs when it is pasted", async () => {
    const page = await open("/ask");
    await page.getByRole("searchbox", { name: "Your question" }).fill("a mug that's blue");
    await page.keyboard.press("Enter");
    await page.getByText(/products? match/).waitFor();
    await check(page, 2);
  });

  it("a picture's steps run when they are pasted", async () => {
    const page = await open("/picture");
    await page.getByLabel("Picture file").setInputFiles(join(folder, "picture.jpg"));
    await page.locator("section[aria-labelledby=similar-title] article.card").first().waitFor();
    await check(page, 3);
  });

  it("every webhook operation runs when it is pasted", async () => {
    const page = await open("/webhooks");
    await page.locator(".developer-panel").first().waitFor();
    const [list, create] = await pastable(page);
    expect(await runCurl(create?.curl ?? "")).toContain("whsec_");
    expect(await runClient(create?.client ?? "")).toContain("whsec_");
    expect(await runCurl(list?.curl ?? "")).toContain('"success":true');
    await page.reload();
    const card = page.locator(".webhook-card").first();
    await card.waitFor();
    const all = await pastable(page);
    const own = all.filter(({ curl }) => curl.includes("/webhooks/wh_"));
    expect(own.length).toBeGreaterThanOrEqual(10);
    for (const { title, curl } of own) expect(await runCurl(curl), title).toContain('"success":true');
  });
});
