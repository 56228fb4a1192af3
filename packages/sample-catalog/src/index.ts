import { designOf } from "./design.ts";
import { imageSvg } from "./images/image-svg.ts";
import { createRandom } from "./random.ts";
import type { SampleImageName } from "./sample-product.ts";

export { createRandom, type Random } from "./random.ts";
export {
  defaultSampleSize,
  parseImageAddress,
  type SampleImageName,
  type SampleProduct,
  sampleProduct,
} from "./sample-product.ts";

/** The drawing of a design in one view, as SVG; `size` is its width and height in pixels. */
export function sampleImageSvg({ design: number, view }: SampleImageName, size: number): string {
  const { kind, ...looks } = designOf(number);
  const form = createRandom(number + 1_000_003);
  return imageSvg({ shape: kind.shape, ...looks }, form, createRandom(number * 7 + view), size);
}
