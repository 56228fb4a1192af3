import { drawing } from "@product-search/testing/images/images.ts";
import { ImageTooLargeError, InvalidImageError, loadBuiltInModel } from "@product-search/vision";
import { mutate, oneOf } from "./mutate.ts";
import type { FuzzTarget } from "./run-target.ts";

const pieces: readonly [string, ...string[]] = [
  "IHDR",
  "IDAT",
  "iCCP",
  "Exif\0\0",
  "\xff\xd8",
  "\xff\xda",
  "RIFF",
  "VP8X",
  "ANMF",
  "<svg>",
  "\0\0\0\0",
  "\x7f\xff\xff\xff",
];

/** JPEG, PNG, WebP, GIF and AVIF files: a descriptor, or one of the two documented errors. */
export async function createImageTarget(): Promise<FuzzTarget> {
  const model = await loadBuiltInModel();
  const image = drawing("disc", "#c08040").resize(48, 40);
  const files = await Promise.all(
    (["jpeg", "png", "webp", "gif", "avif"] as const).map((format) =>
      image.clone().toFormat(format).toBuffer(),
    ),
  );
  const [first, ...others] = files;
  if (!first) throw new Error("There is no image to change.");
  return {
    maxMs: 5000,
    maxGrowthMb: 64,
    next: (random) => mutate(random, oneOf(random, [first, ...others]), pieces),
    async run(input) {
      try {
        await model.describe(input);
        return "accepted";
      } catch (error) {
        if (error instanceof InvalidImageError || error instanceof ImageTooLargeError) return "refused";
        throw error;
      }
    },
  };
}
