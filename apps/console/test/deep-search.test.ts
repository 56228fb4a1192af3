import { expect, it } from "vitest";
import { layoutShift } from "./browser.ts";
import { describeInBrowser, service } from "./in-browser.ts";
import { startRelay } from "./relay.ts";

describeInBrowser("deep search", (open) => {
  it("answers in words with products beside them, and asks on", async () => {
    const { page, complaints } = await open("/ask", { token: service.token });
    await page.getByRole("searchbox", { name: "Your question" }).fill("running shoes under 100");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const turn = page.locator(".turn").first();
    await turn.getByText(/products? match/).waitFor();
    const named = (await turn.locator(".top-products strong").first().textContent()) ?? "";
    await turn.locator(".top-products a").first().waitFor();
    expect(await turn.locator(".answer-text").textContent()).toContain(named);
    await turn.locator(".chip").first().click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("goes on from what was asked before", async () => {
    const { page } = await open("/ask", { token: service.token });
    const field = page.getByRole("searchbox", { name: "Your question" });
    for (const query of ["running shoes under 100", "and without mesh?"]) {
      await field.fill(query);
      await page.keyboard.press("Enter");
      await page.locator(".turn").last().getByText("Interpreted as").waitFor();
    }
    const understood = await page.locator(".turn").last().locator(".understood").textContent();
    expect(understood).toMatch(/Shoes: "running".*up to \$100.*without mesh/);
  });

  it("leads from the words and the options to products and to the catalog", async () => {
    const { page, complaints } = await open("/ask?q=running shoes under 100", { token: service.token });
    const turn = page.locator(".turn").first();
    await turn.getByText("Interpreted as").waitFor();
    const link = turn.locator(".answer-text a").first();
    const name = (await link.textContent()) ?? "";
    expect(await turn.locator(".top-products strong").allTextContents()).toContain(name);
    await turn.getByRole("button", { name: "on sale", exact: true }).click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    await page.locator(".turn").last().getByText("Interpreted as").waitFor();
    const understood = await page.locator(".turn").last().locator(".understood").textContent();
    expect(understood).toMatch(/"running".*up to \$100/);
    await turn.getByText("Related searches").click();
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
    const field = page.getByRole("searchbox", { name: "Your question" });
    for (const [index, query] of ["running shoes under 100", "the best rated desk lamp"].entries()) {
      await field.fill(query);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByText("Interpreted as").count(), { timeout: 20_000 }).toBe(index + 1);
      const top = await page.locator(".question").last().boundingBox();
      expect(top?.y).toBeLessThan(200);
    }
    // A question makes room for its answer at once; after that nothing moves.
    expect(await layoutShift(page, { withInput: false })).toBeLessThan(0.0005);
  });

  it("shows the products first, then the words while they are written", async () => {
    const relay = await startRelay(service.url, 150);
    const { page } = await open(`${relay.url}/ask`);
    await page.getByRole("button", { name: "Set token" }).click();
    await page.getByLabel("Access token").fill(service.token);
    await page.keyboard.press("Enter");
    await page.getByRole("searchbox", { name: "Your question" }).fill("running shoes under 100");
    await page.keyboard.press("Enter");
    await page.locator(".top-products strong").first().waitFor();
    expect(await page.locator(".answer-text").count()).toBe(0);
    const answer = page.locator(".answer-text");
    const first = (await answer.textContent()) ?? "";
    expect(await answer.getAttribute("aria-busy")).toBe("true");
    await page.getByText("Interpreted as").waitFor();
    const whole = (await answer.textContent()) ?? "";
    expect(whole.length).toBeGreaterThan(first.length);
    expect(whole.startsWith(first.trimEnd())).toBe(true);
  });
});
