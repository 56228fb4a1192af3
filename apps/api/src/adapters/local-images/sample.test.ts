import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBuiltInModel } from "@product-search/vision";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { createSampleImages, drawImage } from "./sample.ts";

const folder = await mkdtemp(join(tmpdir(), "sample-images-"));
afterAll(() => rm(folder, { recursive: true }));

describe("sample images", () => {
  test("are JPEGs that are drawn once and cached", async () => {
    const images = createSampleImages(join(folder, "kept"));
    const first = await images.read("/images/sample/12-1.jpg");
    expect(await sharp(first).metadata()).toMatchObject({ format: "jpeg", width: 320, height: 320 });
    const [file = ""] = await readdir(join(folder, "kept"));
    await writeFile(join(folder, "kept", file), "kept");
    expect(String(await images.read("/images/sample/12-1.jpg"))).toBe("kept");
  });

  test.each([
    "/images/sample/5000-1.jpg",
    "/images/sample/012-1.jpg",
    "/images/sample/1-4.jpg",
    "/images/sample/../../store.sqlite",
    "/images/x",
  ])("there is none at %s", async (address) => {
    expect(await createSampleImages(folder).read(address)).toBeUndefined();
  });

  test("differ for each design and view", async () => {
    const names = [0, 51, 102, 1].flatMap((design) => [0, 1].map((view) => ({ design, view })));
    const drawn = await Promise.all(names.map(drawImage));
    expect(new Set(drawn.map((image) => Buffer.from(image).toString("base64"))).size).toBe(names.length);
    expect(await drawImage({ design: 51, view: 1 })).toEqual(drawn[3]);
  });

  test.each([0, 2, 1154, 2399])("have the vectors that the built-in model gives: %i", async (design) => {
    const model = loadBuiltInModel();
    const images = createSampleImages(folder);
    const address = `/images/sample/${design}-1.jpg`;
    const shipped = (await images.vectorOf?.(address, model.id)) ?? new Float32Array();
    const described = await model.describe(await drawImage({ design, view: 0 }));
    expect(described.reduce((sum, value, i) => sum + value * (shipped[i] ?? 0), 0)).toBeGreaterThan(0.999);
    expect(await images.vectorOf?.(address, "another model")).toBeUndefined();
    expect(await images.vectorOf?.("/images/else.jpg", model.id)).toBeUndefined();
  });
});
