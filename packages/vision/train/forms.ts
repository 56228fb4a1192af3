import { readFileSync } from "node:fs";
import { type OpenedImage, openImage } from "../src/image/open-image.ts";
import { augment, plainCopy, type TransformName } from "./augment.ts";

/** An image unchanged, or changed in one way. */
export type Form = TransformName | "none";

/** One image in each of the forms, in their order. */
export async function* formsOf(
  paths: readonly string[],
  index: number,
  forms: readonly Form[],
): AsyncGenerator<OpenedImage> {
  const path = paths[index] ?? "";
  const image = await plainCopy(readFileSync(path));
  const backdrop = await plainCopy(readFileSync(paths[backdropOf(index, paths.length)] ?? path));
  for (const form of forms) {
    const bytes = form === "none" ? readFileSync(path) : await augment(form, image, backdrop);
    yield openImage(bytes);
  }
}

/** An unrelated image to put behind image `index`, always the same one for that index. */
function backdropOf(index: number, count: number): number {
  return (index * 7919 + 311) % count;
}
