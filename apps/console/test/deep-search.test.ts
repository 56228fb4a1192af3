import { expect, it } from "vitest";
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
      await page.locator(".turn").first().getByText("Interpreted as").waitFor();
    }
    const understood = await page.locator(".turn").first().locator(".understood").textContent();
    expect(understood).toMatch(/Shoes: "running".*up to \$100.*without mesh/);
  });

  it("shows the products first, then the words while they are written", async () => {
    const relay = await startRelay(service.url, 150);
    const { page } = await open(`${relay.url}/ask`);
    await page.getByText("Set token").click();
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
