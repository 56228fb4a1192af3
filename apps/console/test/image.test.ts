import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { describeInBrowser, findProduct, type Open, type ShownProduct, service } from "./in-browser.ts";

const similar = "section[aria-labelledby=similar-title] article.card h3";

/** The products of two texts side by side on one image. */
async function drawTwo(page: Page, addresses: string[]): Promise<Buffer> {
  const drawn = await page.evaluate(async (images) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 900, height: 420 });
    const pen = canvas.getContext("2d");
    if (!pen) throw new Error("This browser cannot draw.");
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    for (const [index, address] of images.entries()) {
      const image = await createImageBitmap(await (await fetch(address)).blob());
      pen.drawImage(image, 20 + index * 460, 10, 400, 400);
    }
    return canvas.toDataURL("image/png");
  }, addresses);
  return Buffer.from(drawn.slice(drawn.indexOf(",") + 1), "base64");
}

describeInBrowser("image search", (open) => {
  let mug: ShownProduct;
  let lamp: ShownProduct;
  let mugImage: Buffer;
  beforeAll(async () => {
    [mug, lamp] = [await findProduct("mug"), await findProduct("desk lamp")];
    mugImage = Buffer.from(await (await fetch(mug.images[0] ?? "")).arrayBuffer());
  });
  const firstSimilar = (page: Page) => expect.poll(() => page.locator(similar).first().textContent());

  it("takes an image that is chosen", async () => {
    const { page, complaints } = await open("/picture", { token: service.token });
    await page
      .getByLabel("Image file")
      .setInputFiles({ name: "mug.jpg", mimeType: "image/jpeg", buffer: mugImage });
    await firstSimilar(page).toBe(mug.name);
    expect(complaints).toEqual([]);
  });

  it("takes an image that is dropped, and shows where", async () => {
    const { page, complaints } = await open("/picture", { token: service.token });
    const zone = page.locator(".drop-zone");
    const dataTransfer = await page.evaluateHandle((base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "mug.jpg", { type: "image/jpeg" }));
      return transfer;
    }, mugImage.toString("base64"));
    await zone.dispatchEvent("dragover", { dataTransfer });
    await page.locator(".drop-zone.over").waitFor();
    await zone.dispatchEvent("drop", { dataTransfer });
    await firstSimilar(page).toBe(mug.name);
    expect(await page.locator(".drop-zone.over").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("takes an image that is pasted", async () => {
    const { page, complaints } = await open("/picture", { token: service.token });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const png = (await drawTwo(page, [mug.images[0] ?? ""])).toString("base64");
    await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      await navigator.clipboard.write([
        new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) }),
      ]);
    }, png);
    // Somewhere in the text, as after a click.
    await page.getByRole("heading", { level: 1 }).click();
    // The key as the browser's own window would pass it on, with the command that it stands for.
    const keyboard = await page.context().newCDPSession(page);
    const key = { key: "v", code: "KeyV", modifiers: 2, commands: ["paste"] };
    await keyboard.send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
    await page.getByRole("heading", { name: "Your image" }).waitFor();
    await page.locator(similar).first().waitFor();
    expect(complaints).toEqual([]);
  });

  const openTwo = async (opening: Open) => {
    const opened = await opening("/picture", { token: service.token });
    const buffer = await drawTwo(opened.page, [mug.images[0] ?? "", lamp.images[0] ?? ""]);
    await opened.page
      .getByLabel("Image file")
      .setInputFiles({ name: "two.png", mimeType: "image/png", buffer });
    await opened.page.locator("button.box").nth(1).waitFor();
    return opened;
  };

  it("searches for the detected object that is clicked", async () => {
    const { page, complaints } = await openTwo(open);
    const names = await page.locator("button.box").allTextContents();
    expect(names.toSorted().map((name) => name.replace(/ \d+%$/, ""))).toEqual(["Lamps", "Mugs"]);
    await page.locator("button.box").nth(1).click();
    await firstSimilar(page).toBe(lamp.name);
    await page.getByText(/look similar\. All others look different\.$|^The 50 most similar/).waitFor();
    expect(await page.locator("button.box.chosen").count()).toBe(1);
    await page.locator("button.box").nth(0).focus();
    await page.keyboard.press("Enter");
    await firstSimilar(page).toBe(mug.name);
    expect(complaints).toEqual([]);
  });

  it("searches for what is inside a box of one's own, and for the whole again", async () => {
    const { page, complaints } = await openTwo(open);
    const whole = await page.locator(similar).allTextContents();
    const frame = await page.locator(".image-with-boxes").boundingBox();
    if (!frame) throw new Error("The image has no box on the page.");
    // The right half, where the lamp is.
    await page.mouse.move(frame.x + frame.width * 0.54, frame.y + 2);
    await page.mouse.down();
    await page.mouse.move(frame.x + frame.width * 0.97, frame.y + frame.height - 2, { steps: 4 });
    await page.mouse.up();
    await page.locator(".box.drawn.chosen").waitFor();
    await firstSimilar(page).toBe(lamp.name);
    await page.getByRole("button", { name: "Search with the whole image" }).click();
    await expect.poll(() => page.locator(similar).allTextContents()).toEqual(whole);
    expect(complaints).toEqual([]);
  });

  it("says what it recognises, can be told that it is wrong, and sets the closest apart", async () => {
    const { page, complaints } = await open("/picture", { token: service.token });
    // An example of this catalog is the quickest way to begin.
    await page.getByRole("button", { name: "Mugs", exact: true }).click();
    await page.getByText("Looks like:").waitFor();
    expect(await page.locator(".recognised").textContent()).toContain("Mugs");
    await page.getByRole("button", { name: "It is not: Mugs" }).click();
    await page.locator(".recognised p", { hasText: "Not: Mugs" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "It is not: Mugs" }).waitFor();
    await page.route("**/search?imageId=**", async (route) => {
      const response = await route.fetch();
      const found = (await response.json()) as { Products: object[] };
      await route.fulfill({ json: { ...found, Products: [], closest: found.Products.slice(0, 2) } });
    });
    await page.locator("button.box").first().click();
    await page.getByRole("heading", { name: "Nothing looks like this" }).waitFor();
    expect(await page.locator("section[aria-labelledby=closest] article.card").count()).toBe(2);
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("takes a photo with the camera", async () => {
    const { page, complaints } = await open("/picture", { token: service.token });
    await page.getByRole("button", { name: "Take a photo" }).click();
    const dialog = page.getByRole("dialog", { name: "Take a photo" });
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Take photo" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Your image" }).waitFor();
    await page.locator(".image-with-boxes img").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says so where there is no camera", async () => {
    const { page } = await open("/picture", { token: service.token });
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("none", "NotFoundError"));
    });
    await page.getByRole("button", { name: "Take a photo" }).click();
    await page.getByText("No camera was found on this device.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("refuses in words what is no image", async () => {
    const { page } = await open("/picture", { token: service.token });
    await page
      .getByLabel("Image file")
      .setInputFiles({ name: "text.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no image") });
    await page.getByRole("heading", { name: "The image cannot be read" }).first().waitFor();
  });
});
