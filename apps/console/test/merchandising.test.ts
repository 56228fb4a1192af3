import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, service } from "./in-browser.ts";

interface StoredRule {
  id: string;
  name: string;
  enabled: boolean;
  when: { query?: string };
  updatedAt: string;
  [member: string]: unknown;
}

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function listRules(): Promise<StoredRule[]> {
  return (await call("GET", "/rules")).rules as StoredRule[];
}

/** Rules of these names, taken away when the test ends. Their texts are searched by no other test. */
async function createRules(...names: string[]): Promise<StoredRule[]> {
  const rules: StoredRule[] = [];
  for (const name of names) {
    const created = await call("POST", "/rules", {
      name,
      when: { query: `zz ${name}` },
      replaceQuery: "mug",
    });
    rules.push(created.rule as StoredRule);
  }
  onTestFinished(async () => {
    for (const { id } of await listRules()) await call("DELETE", `/rules/${id}`);
  });
  return rules;
}

const names = (page: Page) => page.locator(".rule-words a").allTextContents();
const row = (page: Page, name: string) => page.locator(".rule-row").filter({ hasText: name });

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (!start || !end) throw new Error("A row is not on the screen.");
  await page.mouse.move(start.x + 12, start.y + 12);
  await page.mouse.down();
  await page.mouse.move(start.x + 12, start.y + 30);
  await page.mouse.move(start.x + 12, end.y + end.height - 3);
  await page.mouse.up();
}

/** The answer of the service about many rules, without the time to create them. */
function manyRules(count: number): StoredRule[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `rule_${index}`,
    name: `Rule ${index + 1}`,
    enabled: index % 2 === 0,
    when: { query: `word ${index}` },
    hide: [`p_${index}`],
    createdAt: "2026-11-20T09:00:00.000Z",
    updatedAt: "2026-11-20T09:00:00.000Z",
  }));
}

describeInBrowser("merchandising", (open) => {
  it("previews a rule before it is saved, and searches follow it afterwards", async () => {
    await createRules();
    const { page, complaints } = await open("/merchandising", { token: service.token });
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    await page.locator("main .chip").first().click();
    await page.getByLabel("Search text").fill("stoneware mugs");
    const after = page.locator(".before-after > div").last().locator("li");
    const before = page.locator(".before-after > div").first().locator("li");
    await after.nth(3).waitFor();
    const first = (await before.nth(0).locator(".product-line-name").textContent()) ?? "";
    const third = (await after.nth(2).locator(".product-line-name").textContent()) ?? "";
    await after
      .nth(0)
      .getByRole("button", { name: `Hide ${first}` })
      .click();
    await expect.poll(() => after.allTextContents()).not.toContainEqual(expect.stringContaining(first));
    await before.getByText("hidden").waitFor();
    await after.getByRole("button", { name: `Pin ${third}` }).click();
    await page.getByLabel("Position of").fill("1");
    await expect.poll(() => after.first().textContent()).toContain(third);
    await after.first().getByText("pinned").waitFor();
    expect(await listRules()).toEqual([]);
    expect(await findAccessibilityIssues(page)).toEqual([]);

    await page.getByRole("button", { name: "Save rule" }).click();
    await row(page, "stoneware mugs").getByText("“stoneware mugs” → 1 pinned, 1 hidden").waitFor();
    await expect
      .poll(async () => {
        const { Products } = await call("GET", "/search/catalog?q=stoneware%20mugs");
        return (Products as { name: string }[])
          .map(({ name }) => name)
          .filter((name) => [first, third].includes(name));
      })
      .toEqual([third]);
    expect(complaints).toEqual([]);
  });

  it("finds products to pin and to hide by words, and raises brands", async () => {
    await createRules();
    const { page } = await open("/merchandising?rule=new&query=zz desk", { token: service.token });
    await page.getByLabel("Find a product to pin").fill("desk lamp");
    await page
      .getByRole("button", { name: /^Pin .*lamp/i })
      .first()
      .click();
    await page.getByText("Hide products").click();
    await page.getByLabel("Find a product to hide").fill("no-such-id");
    await page.getByRole("button", { name: "Use the product number “no-such-id”" }).click();
    await page.getByText("No such product").waitFor();
    await page.getByText("Raise or lower products").click();
    await page.getByRole("button", { name: "Choose brands, categories, attributes or products" }).click();
    await page.getByLabel("Brands").fill("Kvist");
    await page.keyboard.press("Enter");
    await page.getByLabel("Attributes").fill("Black");
    expect(await page.getByLabel("Attributes").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Attributes").fill("color:Black");
    await page.keyboard.press("Enter");
    await page.getByLabel("Factor (above").fill("0.5");
    await page.getByText("Open a page").click();
    await page.getByLabel("The URL that your shop opens").fill("https://shop.example/desks");
    await page.getByLabel("From (optional)").fill("2099-11-27T00:00");
    await page.getByRole("button", { name: "Save rule" }).click();
    await row(page, "zz desk")
      .getByText("1 pinned, 1 hidden, Kvist, Color: Black ×0.5, opens https://shop.example/desks")
      .waitFor();
    await row(page, "zz desk").getByText("from Nov 27, 2099").waitFor();
    const [rule] = await listRules();
    expect(rule).toMatchObject({
      when: { query: "zz desk", match: "is" },
      hide: ["no-such-id"],
      boost: [{ brands: ["Kvist"], attributes: { color: ["Black"] }, factor: 0.5 }],
    });
  });

  it("changes results where they are shown: a draft with a preview, published and undone together", async () => {
    await createRules();
    const { page, complaints } = await open("/?q=stoneware mug", { token: service.token });
    await page.getByRole("button", { name: "Change these results" }).click();
    const card = (index: number) => page.locator(".catalog-results article.card").nth(index);
    const nameOf = async (index: number) => (await card(index).getByRole("heading").textContent()) ?? "";
    const [second, third, fourth] = [await nameOf(1), await nameOf(2), await nameOf(3)];
    const after = page.locator(".before-after .product-line-name");
    await card(1).getByRole("button", { name: "Hide" }).click();
    await card(3).getByRole("button", { name: "Up" }).press("Enter");
    await card(3).getByRole("button", { name: "Up" }).press("Enter");
    await card(3).getByText("position 2").waitFor();
    await expect.poll(async () => (await after.allTextContents()).slice(1, 3)).toEqual([fourth, third]);
    await page.getByLabel("“stoneware mug” also finds").fill("Zztasse");
    await page.keyboard.press("Enter");
    await page.getByText("2 changes in your draft.").waitFor();
    expect(await listRules()).toEqual([]);
    expect(await findAccessibilityIssues(page)).toEqual([]);

    await page.reload();
    await page.goto("/merchandising?tab=draft");
    await page.getByRole("row", { name: `Hidden – ${second}` }).waitFor();
    await page.getByRole("row", { name: `Pinned – 2: ${fourth}` }).waitFor();
    await page.getByRole("heading", { name: "Add the synonym “stoneware mug → zztasse”" }).waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.getByRole("button", { name: "Publish all 2 changes" }).click();
    await page.getByText(/^Published/).waitFor();
    const synonyms = async () => ((await call("GET", "/synonyms?origin=added")).synonyms as object[]).length;
    expect(await listRules()).toMatchObject([{ when: { query: "stoneware mug" }, pin: [{ position: 2 }] }]);
    expect(await synonyms()).toBe(1);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export all rules" }).click(),
    ]);
    const exported = readFileSync(await download.path(), "utf8");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => [(await listRules()).length, await synonyms()]).toEqual([0, 0]);
    const importFile = (text: string) =>
      page
        .getByLabel("Import a file")
        .setInputFiles({ name: "rules.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await importFile('{"rules": "<script>"}');
    await page.getByText("This is not a file that was exported here.").waitFor();
    await importFile(exported);
    await page.getByRole("heading", { name: "New rule “stoneware mug”" }).waitFor();
    await page.getByRole("button", { name: "Discard all" }).click();
    await page.getByText("The draft is empty").waitFor();
    expect(complaints).toEqual([]);
  });

  it("orders rules by dragging, by the arrow keys and by a number", async () => {
    await createRules("one", "two", "three", "four");
    const { page, complaints } = await open("/merchandising", { token: service.token });
    const handle = (name: string) => page.getByRole("button", { name: `Move “${name}”` });
    const storedNames = async () => (await listRules()).map(({ name }) => name);
    await handle("four").waitFor();
    await drag(page, handle("one"), row(page, "three"));
    await expect.poll(() => names(page)).toEqual(["two", "three", "one", "four"]);
    await expect.poll(storedNames).toEqual(["two", "three", "one", "four"]);
    expect(await page.getByRole("dialog").count()).toBe(0);

    await handle("two").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.getByText("Position 3 of 4").waitFor();
    await expect.poll(storedNames).toEqual(["three", "one", "two", "four"]);
    await page.keyboard.press("Enter");
    await page.getByLabel("Position, 1 to 4").fill("1");
    await page.keyboard.press("Enter");
    await expect.poll(storedNames).toEqual(["two", "three", "one", "four"]);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Move “two”, position 1",
    );
    expect(complaints).toEqual([]);
  });

  it("turns rules off and on, deletes one when asked twice, and has it back at its place", async () => {
    await createRules("uno", "due", "tre");
    const { page } = await open("/merchandising", { token: service.token });
    await row(page, "due").getByRole("checkbox").uncheck();
    await row(page, "due").getByText("Off").waitFor();
    await expect.poll(async () => (await listRules())[1]?.enabled).toBe(false);
    await page.getByRole("button", { name: "Delete “due”" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete “due”" }).click();
    await page.getByRole("button", { name: "Confirm delete “due”" }).click();
    await expect.poll(() => names(page)).toEqual(["uno", "tre"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => names(page)).toEqual(["uno", "due", "tre"]);
    await expect.poll(async () => (await listRules()).map(({ name }) => name)).toEqual(["uno", "due", "tre"]);
    expect((await listRules())[1]?.enabled).toBe(false);
  });

  it("explains that somebody else has changed the rule, and goes back to an earlier version", async () => {
    const [rule] = await createRules("shared");
    const { page } = await open("/merchandising", { token: service.token });
    await page.getByRole("link", { name: "shared" }).click();
    const name = page.getByLabel("Name, for your team");
    await name.fill("mine");
    const { updatedAt } = rule ?? {};
    const definition = { name: "theirs", when: rule?.when, replaceQuery: "mug" };
    await call("PUT", `/rules/${rule?.id}`, { ...definition, updatedAt });
    await page.getByRole("button", { name: "Save rule" }).click();
    const conflict = page.getByRole("alert");
    await conflict.getByText("Somebody else has changed this rule").waitFor();
    await conflict.getByRole("row", { name: "Name theirs mine" }).waitFor();
    expect((await listRules())[0]?.name).toBe("theirs");

    // What is not saved is there again after a look at another screen.
    await page.getByRole("link", { name: "Synonyms" }).click();
    await page.getByLabel("New synonym").waitFor();
    await page.goBack();
    await page.getByText("Your unsaved changes are back.").waitFor();
    expect(await name.inputValue()).toBe("mine");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByRole("link", { name: "mine" }).click();
    await page.getByText("History").click();
    await page.getByText("Name: shared → theirs").waitFor();
    await page.getByRole("button", { name: "Use this version" }).last().click();
    expect(await name.inputValue()).toBe("shared");
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.getByRole("link", { name: "shared" }).waitFor();
  });

  it("finds and moves one of a thousand rules", async () => {
    const { page } = await open("/nowhere", { token: service.token });
    const ordered: string[][] = [];
    await page.route("**/api/v1/rules", (route) =>
      route.fulfill({ json: { status: "success", rules: manyRules(1000) } }),
    );
    await page.route("**/api/v1/rules/order", async (route) => {
      ordered.push((route.request().postDataJSON() as { ids: string[] }).ids);
      await route.fulfill({ json: { status: "success", rules: manyRules(1000) } });
    });
    await page.goto("/merchandising");
    await page.getByText("1,000 rules").waitFor();
    await page.getByLabel("Find a rule").fill("p_777");
    await page.getByText("1 of 1,000 rules").waitFor();
    await page.locator("[data-place='777'] .handle").press("Home");
    await expect.poll(() => ordered[0]?.slice(0, 2)).toEqual(["rule_777", "rule_0"]);
    expect(ordered[0]?.length).toBe(1000);
    await page.getByLabel("Find a rule").fill("");
    await page.locator("[data-place='1'] .handle").press("Enter");
    await page.getByLabel("Position, 1 to 1000").fill("640");
    await page.keyboard.press("Enter");
    await page.getByText("Position 640 of 1000").waitFor();
    const top = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? -1);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(900);
  });

  it("adds, changes, removes and restores synonyms", async () => {
    const { page, complaints } = await open("/merchandising?tab=synonyms&add=zzdivan", {
      token: service.token,
    });
    const field = page.getByLabel("New synonym");
    expect(await field.inputValue()).toBe("zzdivan");
    await field.fill("zzdivan => sofa");
    await page.keyboard.press("Enter");
    const first = page.locator(".synonyms > li").first();
    await first.getByText("zzdivan → sofa").waitFor();
    await page.getByRole("button", { name: "Edit “zzdivan → sofa”" }).click();
    await page.getByLabel("Change “zzdivan → sofa”").fill("zzdivan → couch");
    await page.keyboard.press("Enter");
    await first.getByText("zzdivan → couch").waitFor();
    expect(await page.getByText("zzdivan → sofa").count()).toBe(0);
    await page.getByRole("button", { name: "Remove “zzdivan → couch”" }).click();
    await first.getByText("zzdivan").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await first.getByText("zzdivan → couch").waitFor();
    await page.getByRole("button", { name: "Remove “zzdivan → couch”" }).click();
    await field.fill("one");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(/rule/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says which token it needs", async () => {
    const { page } = await open("/nowhere", { token: service.token });
    await page.route("**/api/v1/rules", (route) =>
      route.fulfill({
        status: 403,
        json: { status: "error", message: "No.", code: "forbidden", requestId: "r" },
      }),
    );
    await page.goto("/merchandising");
    await page.getByRole("heading", { name: /needs a token of the scope “merchandising”/ }).waitFor();
    await page.getByText("pnpm api token create --account NAME --scopes search,merchandising").waitFor();
  });
});

async function search(text: string): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/search/catalog?${new URLSearchParams({ q: text })}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  return ((await response.json()) as { count: number }).count;
}

describeInBrowser("insights", (open) => {
  it("lead from a search without results to a synonym that mends it", async () => {
    expect(await search("zzlampion")).toBe(0);
    expect(await search("desk lamp")).toBeGreaterThan(0);
    const { page, complaints } = await open("/insights?kind=noResults", { token: service.token });
    const mend = page.getByRole("link", { name: "Synonym for zzlampion", exact: true });
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Refresh" }).click();
        return mend.count();
      })
      .toBe(1);
    await page.getByText("Searches by day").waitFor();
    expect(await page.getByRole("link", { name: "desk lamp", exact: true }).count()).toBe(0);
    await page.getByRole("radio", { name: "Most frequent" }).check();
    await page.getByRole("link", { name: "Rule for desk lamp", exact: true }).waitFor();
    await page.getByText("Days as a table").click();
    expect(await findAccessibilityIssues(page)).toEqual([]);

    await page.getByRole("radio", { name: "Without results" }).check();
    await mend.click();
    const field = page.getByLabel("New synonym");
    await expect.poll(() => field.inputValue()).toBe("zzlampion → ");
    // A key that is pressed before would be lost.
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("lamp");
    await expect.poll(() => field.inputValue()).toBe("zzlampion → lamp");
    await page.keyboard.press("Enter");
    await page.getByText("“zzlampion → lamp” applies").waitFor();
    await expect.poll(() => search("zzlampion")).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Remove “zzlampion → lamp”" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("count a result that is opened, with its position", async () => {
    const { page } = await open("/?q=lamp&page=2", { token: service.token });
    const third = page.locator(cards).nth(2).getByRole("heading").getByRole("link");
    const [request] = await Promise.all([page.waitForRequest("**/api/v1/events"), third.click()]);
    const { events } = request.postDataJSON();
    expect(events).toEqual([
      { type: "click", productId: expect.any(String), queryId: expect.any(String), position: 33 },
    ]);
    const response = await request.response();
    expect(await response?.json()).toEqual({ status: "success", accepted: 1 });
  });

  it("begin a rule for a search, and show its days as bars that fit", async () => {
    const { page } = await open("/nowhere", { token: service.token, width: 390, height: 844 });
    const series = Array.from({ length: 30 }, (_, index) => {
      const day = new Date(Date.UTC(2026, 10, 1 + index)).toISOString().slice(0, 10);
      return { day, searches: index * 1000, noResults: index * 250, clicks: 3 };
    });
    const one = {
      query: "<b>gift</b>",
      searches: 9,
      results: 12,
      clicks: 3,
      clickRate: 0.333,
      averagePosition: 2.5,
      clickedProducts: [
        { _id: "p_1", name: `<script>alert(1)</script>${"Vase ".repeat(40)}`, slug: "vase", clicks: 2 },
      ],
    };
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({
        json: {
          status: "success",
          searches: [one],
          totals: { searches: 435_000, noResults: 108_750, clicks: 90 },
          series,
        },
      }),
    );
    await page.goto("/insights");
    await page.getByText("435,000", { exact: true }).waitFor();
    await page.getByText("25%", { exact: true }).waitFor();
    await page.locator(".day-ticks", { hasText: "Nov 30" }).waitFor();
    await page.locator(".bar-plot").scrollIntoViewIfNeeded();
    const plot = await page.locator(".bar-plot").boundingBox();
    await page.mouse.move((plot?.x ?? 0) + (plot?.width ?? 0) - 2, (plot?.y ?? 0) + 40);
    await page.getByText("Nov 30, 2026: 29,000 searches, 7,250 without results (25%), 3 clicks").waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await page.getByRole("link", { name: /^<script>alert/ }).waitFor();
    await page.getByText("435,000 in the 30 days before").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("searches-top-30-days.csv");
    expect(readFileSync(await file.path(), "utf8")).toContain("<b>gift</b>,9,9,12,3,0.333,2.5,");
    await page.getByRole("link", { name: "Rule for <b>gift</b>" }).click();
    await expect.poll(() => page.getByLabel("Search text").inputValue()).toBe("<b>gift</b>");
  });

  it("explain how searches come to be counted, and which token they need", async () => {
    const { page } = await open("/nowhere", { token: service.token });
    const totals = { searches: 0, noResults: 0, clicks: 0 };
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({ json: { status: "success", searches: [], totals, series: [] } }),
    );
    await page.goto("/insights");
    await page.getByRole("heading", { name: "No searches were counted in this period" }).waitFor();
    await page.getByText("ANALYTICS_DAYS").waitFor();
    await page.unroute("**/insights/searches**");
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({
        status: 403,
        json: { status: "error", message: "No.", code: "forbidden", requestId: "r" },
      }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("heading", { name: /needs a token of the scope “merchandising”/ }).waitFor();
  });
});
