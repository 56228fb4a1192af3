import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalImages } from "@product-search/core/ports/images.ts";
import { parseImageAddress, type SampleImageName, sampleImageSvg } from "@product-search/sample-catalog";
import type { SampleVectors } from "@product-search/sample-catalog/sample-vectors.ts";

const imageSize = 320;
const jpegQuality = 88;

/**
 * The images of the sample catalog. Each is drawn on first use, which takes 5 ms, and cached in `folder`, which threads
 * may share. In the repository they would take 12 MB; drawing all at the first start would delay it by 10 to 20 s.
 */
export function createSampleImages(folder: string): LocalImages {
  let vectors: Promise<SampleVectors> | undefined;
  return {
    async vectorOf(address, model) {
      if (parseImageAddress(address) === undefined) return undefined;
      vectors ??= import("@product-search/sample-catalog/sample-vectors.ts").then(({ readSampleVectors }) =>
        readSampleVectors(),
      );
      const shipped = await vectors;
      return shipped.model === model ? shipped.of(address) : undefined;
    },
    async read(address) {
      const name = parseImageAddress(address);
      if (name === undefined) return undefined;
      const file = join(folder, `${name.design}-${name.view}.jpg`);
      return (await readIfThere(file)) ?? keep(file, await drawImage(name));
    },
  };
}

export async function drawImage(name: SampleImageName): Promise<Uint8Array> {
  const svg = sampleImageSvg(name, imageSize);
  // Loaded on first use: most threads never draw an image.
  const { default: sharp } = await import("sharp");
  return sharp(Buffer.from(svg)).jpeg({ quality: jpegQuality }).toBuffer();
}

async function keep(file: string, image: Uint8Array): Promise<Uint8Array> {
  await mkdir(join(file, ".."), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, image);
  await rename(temporary, file);
  return image;
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
