import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeInBrowser, findProduct, service } from "./in-browser.ts";
import { commandLine } from "./service.ts";

async function paste(page: Page, { remember = false } = {}): Promise<void> {
  await page.getByRole("button", { name: /^(?:Set token|Token set)$/ }).click();
  await page.getByLabel("Access token").fill(service.token);
  await page.getByLabel("Remember the token in this browser").setChecked(remember);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Token set").waitFor();
}

/** All URLs that the page asks for, and what it says it came from. */
function watchRequests(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => seen.push(request.url(), request.headers().referer ?? ""));
  return seen;
}

/** Words of engineers, which say nothing to whom a merchandiser is. */
const engineersWords =
  /\b(?:_id|API|JSON|GET|POST|PUT|UTC|[Cc]url|[Tt]okens?|[Ss]copes?|pnpm|[Ww]ebhooks?|[Mm]ock)\b/;

describeInBrowser("a merchandiser who was invited", (open) => {
  it("sees every screen in plain words, and what engineers need behind one switch", async () => {
    const { PATH, HOME } = process.env;
    const name = `Mira ${"<script>".repeat(9)}`;
    const args = [commandLine, "invite", name, "--scopes", "merchandising", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { PATH, HOME, DATA_DIR: service.dataDir },
    });
    const { page, complaints } = await open(new URL(JSON.parse(stdout).url).pathname);
    await page.getByRole("button").click();
    const screens = [
      "/",
      "/?q=lamp",
      "/?q=zzkazoo",
      "/insights",
      "/merchandising",
      "/merchandising?rule=new&query=lamp",
    ];
    const others = [
      "/merchandising?tab=synonyms",
      "/merchandising?tab=draft",
      "/ask",
      "/picture",
      "/marketplaces",
      "/brands/Kvist",
    ];
    for (const screen of [...screens, ...others]) {
      await page.goto(screen);
      await page.getByRole("button", { name: "Mira" }).waitFor();
      await page.waitForLoadState("networkidle");
      const text = await page.locator("body").innerText();
      const placeholders = await page
        .locator("[placeholder]")
        .evaluateAll((fields) => fields.map((field) => field.getAttribute("placeholder")).join(" "));
      expect(engineersWords.exec(`${text} ${placeholders}`), screen).toBeNull();
    }
    await page.goto("/?q=lamp");
    await page.locator(".catalog-results article.card").first().waitFor();
    await page.getByRole("button", { name: "Mira" }).click();
    await page.getByLabel("Show what engineers need").check();
    await page.getByText("GET /search/catalog").waitFor();
    await page.reload();
    await page.getByText("GET /search/catalog").waitFor();
    expect(complaints).toEqual([]);
  });
});

describeInBrowser("the token", (open) => {
  it("survives a reload, and is gone with the tab unless it is to be remembered", async () => {
    const { page } = await open("/webhooks");
    const next = async () => {
      const tab = await page.context().newPage();
      await tab.goto(`${service.url}/webhooks`);
      return tab;
    };
    await paste(page);
    await page.reload();
    await page.getByText("Token set").waitFor();
    await (await next()).getByText("Set token").waitFor();
    await paste(page, { remember: true });
    const other = await next();
    await other.getByText("Token set").waitFor();
    await page.getByRole("button", { name: "Token set" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.reload();
    await page.getByText("Set token").waitFor();
    await (await next()).getByText("Set token").waitFor();
  });

  it("comes from the URL that `pnpm start` prints, and out of it", async () => {
    const { page } = await open("/nowhere");
    const requests = watchRequests(page);
    await page.goto(`/?q=mug#token=${service.token}`);
    await page.getByText("Token set").waitFor();
    await page.locator(".catalog-results article.card").first().waitFor();
    expect(page.url()).toBe(`${service.url}/?q=mug`);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.reload();
    await page.getByText("Token set").waitFor();
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("New webhook", { exact: true }).first().waitFor();
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((text) => text.includes(service.token))).toEqual([]);
  });

  it("is shown as invalid at once, when it is saved and when the tab has it already", async () => {
    const invalid = `pss_${"x".repeat(36)}`;
    const { page } = await open("/picture");
    await page.getByRole("button", { name: "Set token" }).click();
    await page.getByLabel("Access token").fill(invalid);
    await page.keyboard.press("Enter");
    await page.getByText("The service does not accept this token.").waitFor();
    expect(await page.getByLabel("Access token").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Access token").fill(service.token);
    await page.keyboard.press("Enter");
    await page.getByText("Token set").waitFor();
    await page.getByLabel("Access token").waitFor({ state: "hidden" });
    const { page: other } = await open("/picture", { token: invalid });
    await other.getByRole("button", { name: "Invalid token" }).click();
    await other.getByText("The service does not accept this token.").waitFor();
  });

  it.each([
    ["/?q=shoes&rating=4&page=2", "Page 2 of"],
    ["/marketplaces?q=mug&from=marketplace-b", "on Marketplace B"],
    ["/product?id=marketplace-a_A0000001", "Get alerts for this product"],
    ["/webhooks", "New webhook"],
    ["/ask?q=a+mug", "Interpreted as"],
  ])("opens %s when it is pasted there", async (path, text) => {
    const { page } = await open(path);
    const requests = watchRequests(page);
    expect(await page.getByText(text).count()).toBe(0);
    await paste(page);
    await page.getByText(text).first().waitFor();
    expect(page.url()).toBe(`${service.url}${path}`);
    expect(requests.filter((url) => url.includes(service.token))).toEqual([]);
  });
});

const execute = promisify(execFile);
let folder: string;

/** A folder such as a developer would paste into: with the client, and with an image. */
async function makeFolder(): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), "console-paste-"));
  mkdirSync(join(made, "node_modules/@product-search"), { recursive: true });
  const client = fileURLToPath(new URL("../../../packages/client", import.meta.url));
  symlinkSync(client, join(made, "node_modules/@product-search/client"));
  const { images } = await findProduct("mug");
  const image = await fetch(images[0] ?? "");
  writeFileSync(join(made, "image.jpg"), Buffer.from(await image.arrayBuffer()));
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

/** Every request of the panels of a screen or of a part of it, as curl and as client code. */
async function pastable(where: Page | Locator): Promise<{ title: string; curl: string; client: string }[]> {
  const found = [];
  for (const panel of await where.locator(".developer-panel").all()) {
    await panel.locator("summary").click();
    const choice = panel.getByLabel("Request", { exact: true });
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

describeInBrowser("what the console shows developers", (open) => {
  beforeAll(async () => {
    folder = await makeFolder();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const openWithToken = async (path: string) => (await open(path, { token: service.token })).page;
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
    ["/products/none-such", ".notice", 1],
  ])("%s runs when it is pasted", async (path, sign, least) => {
    const page = await openWithToken(path);
    await page.locator(sign).first().waitFor();
    await check(page, least);
  });

  it("the requests of the rules and of a preview run when they are pasted", async () => {
    const page = await openWithToken("/merchandising");
    await page.locator(".developer-panel").first().waitFor();
    await check(page, 2);
    await page.goto("/insights");
    await page.locator(".developer-panel").first().waitFor();
    await check(page, 1);
    await page.goto("/merchandising?rule=new&query=it's a mug");
    await page.locator(".before-after li").first().waitFor();
    await check(page, 1);
  });

  it("a product page's requests run when they are pasted", async () => {
    const { slug, _id } = await findProduct("mug");
    const page = await openWithToken(`/products/${slug}?id=${_id}`);
    await page.locator("section[aria-labelledby=similar] article.card").first().waitFor();
    await check(page, 4);
  });

  it("a brand page's search for brands and for products runs when it is pasted", async () => {
    const { brand = "" } = await findProduct("mug");
    const page = await openWithToken(`/brands/${encodeURIComponent(brand)}`);
    await page.locator("article.card").first().waitFor();
    await page.getByRole("searchbox", { name: "Search brands" }).fill(brand);
    await page.locator(".panel .chip").first().waitFor();
    await check(page, 2);
  });

  it("a conversation runs when it is pasted", async () => {
    const page = await openWithToken("/ask");
    await page.getByLabel("Your question").fill("a mug that's blue");
    await page.keyboard.press("Enter");
    await page.getByText(/products? match/).waitFor();
    await check(page, 2);
  });

  it("an image's steps run when they are pasted", async () => {
    const page = await openWithToken("/picture");
    await page.getByLabel("Image file").setInputFiles(join(folder, "image.jpg"));
    await page.locator("section[aria-labelledby=similar-title] article.card").first().waitFor();
    await check(page, 3);
  });

  it("the receiver verifies deliveries", async () => {
    const page = await openWithToken("/webhooks");
    const code = await page.locator(".receiver pre").textContent();
    writeFileSync(join(folder, "receiver.mts"), code ?? "");
    const port = await freePort();
    const call = async (path: string, body?: object) => {
      const response = await fetch(`${service.url}/api/v1/webhooks${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await response.json()) as { data: { id: string; apiKey: string } }).data;
    };
    const target = { webhookUrl: `http://127.0.0.1:${port}/`, webhookType: "price.alert" };
    const webhook = await call("", target);
    const env = { ...process.env, WEBHOOK_KEY: webhook.apiKey, PORT: String(port) };
    const receiver = spawn(process.execPath, [join(folder, "receiver.mts")], { env });
    onTestFinished(() => void receiver.kill());
    let output = "";
    receiver.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    await expect.poll(() => output, { timeout: 60_000 }).toContain("Receiving on");
    await call(`/${webhook.id}/test`);
    await expect.poll(() => output, { timeout: 60_000 }).toContain("price.alert");
    expect((await fetch(target.webhookUrl, { method: "POST", body: "{}" })).status).toBe(400);
  });

  it("every webhook operation runs when it is pasted", async () => {
    const page = await openWithToken("/webhooks");
    await page.locator(".developer-panel").first().waitFor();
    const [list, create] = await pastable(page);
    expect(await runCurl(create?.curl ?? "")).toContain("whsec_");
    expect(await runClient(create?.client ?? "")).toContain("whsec_");
    expect(await runCurl(list?.curl ?? "")).toContain('"success":true');
    // The two that were just created, newest first: one for each way to ask, which deletes it in the end.
    for (const runs of [runCurl, runClient]) {
      await page.reload();
      const card = page.locator(".webhook-card").first();
      await card.getByRole("button", { name: "Send a test delivery" }).click();
      await card.locator(".deliveries > li").first().waitFor();
      const own = await pastable(card);
      expect(own.map(({ title }) => title)).toEqual([
        "Deliveries",
        "Replay the latest delivery",
        "Send a test delivery",
        "Rotate the key",
        "Enable",
        "Delete",
      ]);
      for (const { title, curl, client } of own) {
        expect(await runs(runs === runCurl ? curl : client), title).toMatch(/"?success"?: ?true/);
      }
    }
  });
});
