import { expect, it } from "vitest";
import { describeInBrowser, service } from "./in-browser.ts";

const maxSteps = 3;
const maxMs = 60_000;

describeInBrowser("from the first screen to an alert", (open) => {
  it("takes three steps and less than a minute, for a product that was found by a filter", async () => {
    const { page, complaints } = await open("/", { token: service.token });
    const started = performance.now();
    const steps: string[] = [];
    const step = async (what: string, run: () => Promise<void>) => {
      const before = performance.now();
      await run();
      steps.push(`${what} (${Math.round(performance.now() - before)} ms)`);
    };

    await step("choose a category", async () => {
      await page.locator(".categories button", { hasText: "Lamps" }).click();
      await page.locator(".catalog-results article.card").first().waitFor();
    });
    await step("open a product", async () => {
      await page.locator(".catalog-results article.card h3 a").first().click();
      await page.getByRole("heading", { name: "Get alerts for this product" }).waitFor();
    });
    const productId = new URL(page.url()).searchParams.get("id");
    await step("say where to, and save the key", async () => {
      await page.getByLabel("Send a webhook to").fill("http://127.0.0.1:9999/journey");
      await page.getByRole("button", { name: "Alert me" }).click();
      await page.getByLabel("I have saved the key").check();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("The webhook was created.").waitFor();
    });
    const tookMs = performance.now() - started;
    console.info(`From the first screen to an alert: ${steps.join(", ")}; ${Math.round(tookMs)} ms in all.`);
    expect(steps.length).toBeLessThanOrEqual(maxSteps);
    expect(tookMs).toBeLessThan(maxMs);

    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.url}/api/v1/webhooks`, { headers });
    const { data } = (await response.json()) as { data: object[] };
    expect(data).toContainEqual(
      expect.objectContaining({ webhookUrl: "http://127.0.0.1:9999/journey", productIds: [productId] }),
    );
    expect(complaints).toEqual([]);
  });

  it("does not append what somebody types to a target that arrives late", async () => {
    const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
    const webhook = { webhookUrl: "http://127.0.0.1:9999/late", webhookType: "price.alert" };
    await fetch(`${service.url}/api/v1/webhooks`, {
      method: "POST",
      headers,
      body: JSON.stringify(webhook),
    });
    const { page } = await open("/", { token: service.token });
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/v1/webhooks", async (route) => {
      await asked;
      await route.continue();
    });
    await page.locator(".categories button", { hasText: "Lamps" }).click();
    await page.locator(".catalog-results article.card h3 a").first().click();
    const field = page.getByLabel("Send a webhook to");
    await field.focus();
    const answered = page.waitForResponse("**/api/v1/webhooks");
    answer();
    await answered;
    await page.waitForTimeout(200);
    await page.keyboard.type("http://127.0.0.1:9999/typed");
    expect(await field.inputValue()).toBe("http://127.0.0.1:9999/typed");
  });
});
