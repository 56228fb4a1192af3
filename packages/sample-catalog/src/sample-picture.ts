import { designOf } from "./design.ts";
import type { SamplePictureName } from "./picture-address.ts";
import { pictureSvg } from "./pictures/picture-svg.ts";
import { createRandom } from "./random.ts";

/** The drawing of a design from one view, as SVG; `size` is its width and height in pixels. */
export function samplePictureSvg({ design: number, view }: SamplePictureName, size: number): string {
  const { kind, ...looks } = designOf(number);
  const form = createRandom(number + 1_000_003);
  return pictureSvg({ shape: kind.shape, ...looks }, form, createRandom(number * 7 + view), size);
}
