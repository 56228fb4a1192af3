import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  parsePictureAddress,
  type SamplePictureName,
  samplePictureSvg,
} from "@product-search/sample-catalog";
import type { LocalPictures } from "../../ports/local-pictures.ts";

const pictureSize = 320;
const jpegQuality = 88;

/** The pictures of the sample catalog. Draws each picture when it is first asked for, and keeps it in `folder`. Any number of threads may share one. */
export function createSamplePictures(folder: string): LocalPictures {
  return {
    async read(address) {
      const name = parsePictureAddress(address);
      if (name === undefined) return undefined;
      const file = join(folder, `${name.design}-${name.view}.jpg`);
      return (await readIfThere(file)) ?? keep(file, await drawPicture(name));
    },
  };
}

export async function drawPicture(name: SamplePictureName): Promise<Uint8Array> {
  const svg = samplePictureSvg(name, pictureSize);
  // Loaded when the first picture is drawn: most threads that open the stores never draw one.
  const { default: sharp } = await import("sharp");
  return sharp(Buffer.from(svg)).jpeg({ quality: jpegQuality }).toBuffer();
}

async function keep(file: string, picture: Uint8Array): Promise<Uint8Array> {
  await mkdir(join(file, ".."), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, picture);
  await rename(temporary, file);
  return picture;
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
