export { parseImageAddress, type SampleImageName } from "./image-address.ts";
export { createRandom, type Random } from "./random.ts";
export { sampleImageSvg } from "./sample-image.ts";
export {
  defaultSampleSize,
  type SampleProduct,
  sampleProduct,
} from "./sample-product.ts";
