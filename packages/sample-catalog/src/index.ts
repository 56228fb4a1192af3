export { parsePictureAddress, type SamplePictureName } from "./picture-address.ts";
export { createRandom, type Random } from "./random.ts";
export { samplePictureSvg } from "./sample-picture.ts";
export {
  defaultSampleSize,
  type SampleProduct,
  type SampleSettings,
  type SampleSource,
  sampleProduct,
} from "./sample-product.ts";
