import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { describeInBrowser, findProduct, findProducts, openWebhookForm, service } from "./in-browser.ts";
import { importProduct } from "./service.ts";

interface Receiver {
  url: string;
  /** What came so far. */
  received: { headers: IncomingHttpHeaders; body: string }[];
  respondWith(status: number): void;
}

/** A target on this machine that responds as it is told. */
async function startReceiver(): Promise<Receiver> {
  let status = 200;
  const received: Receiver["received"] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status).end("received");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    respondWith: (next) => {
      status = next;
    },
  };
}

async function confirmSaved(page: Page): Promise<void> {
  await page.getByLabel("I have saved the key").check();
  await page.getByRole("button", { name: "Done" }).click();
}

/** Creates a webhook by the form, confirms that its key is saved, and gives its card and the key that was shown. */
async function create(page: Page, url: string) {
  await openWebhookForm(page);
  await page.getByLabel("Target URL").fill(url);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.locator(".key").waitFor();
  const key = (await page.locator(".key").textContent()) ?? "";
  await confirmSaved(page);
  return { card: page.locator(".webhook-card").filter({ hasText: url }), key };
}

describeInBrowser("webhooks", (open) => {
  it("show their key once, and keep showing it until it is confirmed as saved", async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open("/webhooks", { token: service.token });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await openWebhookForm(page);
    await page.getByLabel("Target URL").fill(receiver.url);
    await page.getByRole("button", { name: "Create webhook" }).click();
    const dialog = page.getByRole("dialog", { name: "Save this key" });
    const key = (await dialog.locator(".key").textContent()) ?? "";
    expect(key).toMatch(/^whsec_/);
    await dialog.getByRole("button", { name: "Copy the key" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    expect(await findAccessibilityIssues(page)).toEqual([]);
    const done = dialog.getByRole("button", { name: "Done" });
    expect(await done.isDisabled()).toBe(true);
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape");
    await page.evaluate(() => history.pushState({}, "", "/mock"));
    await page.goBack();
    expect(await dialog.isVisible()).toBe(true);
    let asked = false;
    page.once("dialog", (question) => {
      asked = question.type() === "beforeunload";
      void question.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toBe(true);
    await confirmSaved(page);
    await page.locator(".webhook-card").filter({ hasText: receiver.url }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(complaints).toEqual([]);
  });

  it("show each delivery with its attempts, and send it again", async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open("/webhooks", { token: service.token });
    const { card } = await create(page, receiver.url);
    await card.getByRole("button", { name: "Send a test delivery" }).click();
    await card.locator(".tag.succeeded").first().waitFor({ timeout: 60_000 });
    await card.getByText(/status 200 · \d+ ms/).waitFor();
    await card.getByText("1 attempt").first().click();
    await card.getByText("received").waitFor();
    await card.getByRole("button", { name: "Replay" }).first().click();
    await expect.poll(() => card.locator(".deliveries > li").count()).toBe(2);
    await expect.poll(() => card.locator(".tag.succeeded").count(), { timeout: 60_000 }).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("appear as they happen, with the request", async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open("/webhooks", { token: service.token });
    await importProduct(service.dataDir, "Copper whistle", 20);
    await expect.poll(async () => (await findProducts("whistle"))[0]?.name).toBe("Copper whistle");
    const { _id } = await findProduct("whistle");
    await openWebhookForm(page);
    await page.getByLabel("Product identifiers").fill(_id);
    const { card } = await create(page, receiver.url);
    await card.getByRole("button", { name: "Deliveries" }).click();
    await card.getByText("No deliveries yet.").waitFor();
    await importProduct(service.dataDir, "Copper whistle", 15);
    await card.locator(".tag.succeeded").waitFor({ timeout: 60_000 });

    const [delivery] = receiver.received;
    await card.getByText("Request", { exact: true }).click();
    const [headers = "", body = ""] = await card.locator(".delivery-request pre").allTextContents();
    expect(headers).toContain(`webhook-id: ${delivery?.headers["webhook-id"]}`);
    expect(headers).toContain(`webhook-timestamp: ${delivery?.headers["webhook-timestamp"]}`);
    expect(JSON.parse(body)).toEqual(JSON.parse(delivery?.body ?? ""));
    expect(complaints).toEqual([]);
  });

  it("are in the first view, each with its identifier", async () => {
    const url = "http://127.0.0.1:9999/twice";
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) {
      const response = await fetch(`${service.url}/api/v1/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify({ webhookUrl: url, webhookType: "stock.alert" }),
      });
      ids.push(((await response.json()) as { data: { id: string } }).data.id);
    }
    const { page } = await open("/webhooks", { token: service.token, width: 390, height: 844 });
    const cards = page.locator(".webhook-card").filter({ hasText: url });
    await cards.nth(1).waitFor();
    for (const id of ids) await page.locator(".webhook-card code", { hasText: id }).first().waitFor();
    expect((await page.locator(".webhook-card").first().boundingBox())?.y).toBeLessThan(500);
    const color = (name: string) =>
      cards
        .first()
        .getByRole("button", { name })
        .evaluate((button) => getComputedStyle(button).color);
    expect(await color("Delete")).not.toBe(await color("Rotate the key"));
  });

  it("get a new key, shown once as the first", async () => {
    const receiver = await startReceiver();
    const { page } = await open("/webhooks", { token: service.token });
    const { card, key } = await create(page, receiver.url);
    await card.getByRole("button", { name: "Rotate the key" }).click();
    await page.locator(".key").waitFor();
    expect(await page.locator(".key").textContent()).toMatch(/^whsec_/);
    expect(await page.locator(".key").textContent()).not.toBe(key);
  });

  it("tell of a change of price, say that they were stopped and why, and can be enabled again", async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open("/webhooks", { token: service.token });
    await importProduct(service.dataDir, "Brass trumpet", 20);
    await expect.poll(async () => (await findProducts("trumpet"))[0]?.name).toBe("Brass trumpet");
    const { _id } = await findProduct("trumpet");
    await openWebhookForm(page);
    await page.getByLabel("Product identifiers").fill(_id);
    const { card } = await create(page, receiver.url);
    await card.getByText("1 product").waitFor();
    expect(await card.getByRole("button", { name: "Enable" }).count()).toBe(0);

    receiver.respondWith(410);
    await importProduct(service.dataDir, "Brass trumpet", 15);
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    await card.getByRole("button", { name: "Deliveries" }).click();
    await card.getByText(/disabled .*\(gone\)/).waitFor();
    expect(await card.locator(".deliveries > li").first().textContent()).toMatch(/failed.*price\.alert/);

    receiver.respondWith(200);
    await card.getByRole("button", { name: "Enable" }).click();
    await card.getByText(/disabled/).waitFor({ state: "detached" });
    expect(await card.getByRole("button", { name: "Enable" }).count()).toBe(0);
    await card.getByRole("button", { name: "Replay" }).click();
    await card.locator(".tag.succeeded").first().waitFor({ timeout: 60_000 });
    expect(complaints).toEqual([]);
  });

  it("are deleted when one is asked twice", async () => {
    const receiver = await startReceiver();
    const { page } = await open("/webhooks", { token: service.token });
    const { card } = await create(page, receiver.url);
    await card.getByRole("button", { name: "Delete" }).click();
    await card.getByRole("button", { name: "Cancel" }).click();
    await card.getByRole("button", { name: "Delete" }).click();
    await card.getByRole("button", { name: "Confirm delete" }).click();
    await card.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Your webhooks" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await card.count()).toBe(0);
  });

  it("show why a target is refused", async () => {
    const { page } = await open("/webhooks", { token: service.token });
    await openWebhookForm(page);
    await page.getByLabel("Target URL").fill("https://10.0.0.1/hook");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page
      .getByRole("alert")
      .getByText(/webhookUrl/)
      .waitFor();
    const link = page.getByRole("link", { name: "WEBHOOK_ALLOW_NETWORKS" });
    const text = await (await page.request.get((await link.getAttribute("href")) ?? "")).text();
    expect(text).toContain("WEBHOOK_ALLOW_NETWORKS");
  });
});
