import { expect, it } from "vitest";
import { layoutShift } from "./browser.ts";
import { describeInBrowser, service } from "./in-browser.ts";
import { startRelay } from "./relay.ts";

interface Seen {
  hasProducts: boolean;
  text: string;
  isBusy: string | null | undefined;
}

/** Runs in the page: what was received before is on the screen afterwards. */
function afterTwoFrames(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/** Runs in the page: what there was of an answer after each change. Asking from outside would be too late on a busy machine. */
function recordAnswer(): void {
  const seen: Seen[] = [];
  Object.assign(window, { seen });
  const look = () => {
    const answer = document.querySelector(".answer-text");
    seen.push({
      hasProducts: document.querySelector(".top-products strong") !== null,
      text: answer?.textContent ?? "",
      isBusy: answer?.ariaBusy,
    });
  };
  const changes = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document.body, changes);
}

describeInBrowser("deep search", (open) => {
  it("answers in words with products beside them, and asks on", async () => {
    const { page, complaints } = await open("/ask", { token: service.token });
    await page.getByLabel("Your question").fill("running shoes under 100");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const turn = page.locator(".turn").first();
    await turn.getByText(/products? match/).waitFor();
    const named = (await turn.locator(".top-products strong").first().textContent()) ?? "";
    await turn.locator(".top-products a").first().waitFor();
    expect(await turn.locator(".answer-text").textContent()).toContain(named);
    expect(await turn.locator(".top-products li").count()).toBe(3);
    await turn.getByRole("button", { name: "Show all 10" }).click();
    expect(await turn.locator(".top-products li").count()).toBe(10);
    await turn.getByRole("button", { name: "Show 3" }).click();
    await turn.locator(".chip").first().click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("invites with questions that the catalog answers", async () => {
    const { page } = await open("/ask", { token: service.token });
    const examples = page.locator(".question-examples button");
    await examples.nth(3).waitFor();
    const texts = await examples.allTextContents();
    for (const text of texts) {
      await page.goto(`/ask?${new URLSearchParams({ q: text })}`);
      await page.getByText("Interpreted as").waitFor();
      await page.locator(".top-products strong").first().waitFor();
    }
    await page.goto("/ask");
    // The first product of a category, and with it the price in a question, follows what is clicked meanwhile.
    const asked = (await examples.first().textContent()) ?? "";
    await examples.first().click();
    await page.locator(".question", { hasText: asked }).waitFor();
  });

  it("does not ask for the best rated where nothing is rated", async () => {
    const { page } = await open("/nowhere", { token: service.token });
    await page.route("**/search/catalog?**", async (route) => {
      const found = (await (await route.fetch()).json()) as { facets?: object };
      await route.fulfill({ json: { ...found, facets: { ...found.facets, rating: [] } } });
    });
    await page.goto("/ask");
    const examples = page.locator(".question-examples button");
    await examples.nth(3).waitFor();
    const texts = (await examples.allTextContents()).join();
    expect(texts).toContain("the cheapest");
    expect(texts).not.toContain("best rated");
  });

  it.each([390, 1280])(
    "is a conversation of short turns, the answer first and the field at the bottom, %i px wide",
    async (width) => {
      const { page } = await open("/ask", { token: service.token, width, height: 844 });
      const field = page.getByLabel("Your question");
      const bottom = () =>
        page
          .locator(".composer")
          .evaluate((composer) => innerHeight - composer.getBoundingClientRect().bottom);
      expect(await bottom()).toBeLessThanOrEqual(24);
      const queries = [
        "running shoes under 100",
        "and in blue?",
        "a leather bag, not black",
        "the best rated mugs",
      ];
      for (const [index, query] of queries.entries()) {
        await field.fill(query);
        await page.keyboard.press("Enter");
        await page.locator(".turn").nth(index).getByText("Interpreted as").waitFor();
        await page.locator(".turn").nth(index).locator(".follow-ups .chip").first().waitFor();
      }
      expect(await bottom()).toBeLessThanOrEqual(24);
      const [first, last] = await Promise.all(
        [page.locator(".turn").first(), page.locator(".turn").last()].map((turn) => turn.boundingBox()),
      );
      expect((last?.y ?? 0) + (last?.height ?? 0) - (first?.y ?? 0)).toBeLessThan(2000);
      const answer = await page.locator(".answer").last().boundingBox();
      const products = await page.locator(".found").last().boundingBox();
      if (width < 500) expect(answer?.y).toBeLessThan(products?.y ?? 0);
      else expect(answer?.x).toBeLessThan(products?.x ?? 0);

      const height = async () => (await field.boundingBox())?.height ?? 0;
      const oneLine = await height();
      await field.fill("something for long walks ".repeat(12));
      expect(await height()).toBeGreaterThan(oneLine * 1.5);
      await field.fill("first");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("second");
      expect(await field.inputValue()).toBe("first\nsecond");
      await field.fill("");
      expect(await height()).toBe(oneLine);
    },
  );

  it("goes on from what was asked before", async () => {
    const { page } = await open("/ask", { token: service.token });
    const field = page.getByLabel("Your question");
    for (const query of ["running shoes under 100", "and without mesh?"]) {
      await field.fill(query);
      await page.keyboard.press("Enter");
      await page.locator(".turn").last().getByText("Interpreted as").waitFor();
    }
    const understood = await page.locator(".turn").last().locator(".understood").textContent();
    expect(understood).toMatch(/Shoes: "running".*up to \$100.*without mesh/);
  });

  it.each([390, 1280])(
    "covers no question and nothing with the focus by its bars, %i px wide",
    async (width) => {
      const { page } = await open("/ask", { token: service.token, width });
      for (const query of ["running shoes under 100", "a leather bag"]) {
        await page.getByLabel("Your question").fill(query);
        await page.keyboard.press("Enter");
        await page.locator(".turn").last().getByText("Interpreted as").waitFor();
      }
      const isVisible = (selector: string) =>
        page.evaluate((text) => {
          const element = text === "" ? document.activeElement : [...document.querySelectorAll(text)].at(-1);
          const top = document.querySelector(".top-bar");
          const bottom = document.querySelector(".composer");
          if (element == null || top?.contains(element) || bottom?.contains(element)) return true;
          const box = element.getBoundingClientRect();
          const upper = top?.getBoundingClientRect().bottom ?? 0;
          return box.top >= upper && box.bottom <= (bottom?.getBoundingClientRect().top ?? innerHeight);
        }, selector);
      expect(await isVisible(".question")).toBe(true);
      for (const key of ["Shift+Tab", "Tab"])
        for (let i = 0; i < 20; i++) {
          await page.keyboard.press(key);
          await expect.poll(() => isVisible("")).toBe(true);
        }
    },
  );

  it("leads from the words and the options to products and to the catalog", async () => {
    const { page, complaints } = await open("/ask?q=running shoes under 100", { token: service.token });
    const turn = page.locator(".turn").first();
    await turn.getByText("Interpreted as").waitFor();
    const link = turn.locator(".answer-text a").first();
    const name = (await link.textContent()) ?? "";
    expect(await turn.locator(".top-products strong").allTextContents()).toContain(name);
    await turn.getByText("More options").click();
    await turn.getByRole("button", { name: "on sale", exact: true }).click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    await page.locator(".turn").last().getByText("Interpreted as").waitFor();
    const understood = await page.locator(".turn").last().locator(".understood").textContent();
    expect(understood).toMatch(/"running".*up to \$100/);
    await page.getByRole("link", { name: "All Shoes" }).click();
    await page.getByRole("button", { name: "Remove the filter Shoes" }).waitFor();
    await page.goBack();
    await page.locator(".answer-text a").last().click();
    await page.locator(".product-detail h1").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([390, 1280])("moves nothing while a second answer is written, %i px wide", async (width) => {
    const relay = await startRelay(service.url, 60);
    const { page } = await open("/nowhere", { token: service.token, width });
    await page.goto(`${relay.url}/ask`);
    await page.evaluate((token) => sessionStorage.setItem("product-search token", token), service.token);
    await page.reload();
    const field = page.getByLabel("Your question");
    for (const [index, query] of ["running shoes under 100", "the best rated desk lamp"].entries()) {
      await field.fill(query);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByText("Interpreted as").count(), { timeout: 60_000 }).toBe(index + 1);
      const top = await page.locator(".question").last().boundingBox();
      expect(top?.y).toBeLessThan(200);
    }
    // A question makes room for its answer at once; after that nothing moves.
    expect(await layoutShift(page, { withInput: false })).toBeLessThan(0.0005);
  });

  it("shows the products first, then the words while they are written", async () => {
    const shown: (() => Promise<void>)[] = [];
    const relay = await startRelay(service.url, 150, async () => shown[0]?.());
    const { page } = await open(`${relay.url}/ask`);
    shown.push(() => page.evaluate(afterTwoFrames));
    await page.getByRole("button", { name: "Set token" }).click();
    await page.getByLabel("Access token").fill(service.token);
    await page.keyboard.press("Enter");
    // The token is checked first; a question that is asked meanwhile goes without it.
    await page.getByRole("button", { name: "Token set" }).waitFor();
    await page.evaluate(recordAnswer);
    await page.getByLabel("Your question").fill("running shoes under 100");
    await page.keyboard.press("Enter");
    // Each event waits until the page has shown the one before.
    await page.getByText("Interpreted as").waitFor();
    const seen = await page.evaluate(() => (window as Window & { seen?: Seen[] }).seen ?? []);
    expect(seen.some(({ hasProducts, text }) => hasProducts && text === "")).toBe(true);
    const written = seen.filter(({ text }) => text !== "");
    expect(written[0]).toMatchObject({ hasProducts: true, isBusy: "true" });
    expect(written.at(-1)).toMatchObject({ isBusy: "false" });
    const texts = [...new Set(written.map(({ text }) => text))];
    expect(texts.length).toBeGreaterThan(1);
    for (const [index, text] of texts.slice(1).entries())
      expect(text.startsWith((texts[index] ?? "").trimEnd())).toBe(true);
  });
});
