import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, service } from "./in-browser.ts";
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
