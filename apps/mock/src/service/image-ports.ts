import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { Descriptor, FoundObject, VisionModel } from "@product-search/core/ports/vision-model.ts";
import { imageSize } from "./image-size.ts";
import type { SamplePictures } from "./sample-pictures.ts";

/**
 * The mock looks at no image. It knows the pictures of its own catalog by their bytes; every other image is like the same few
 * products. A vector is the row of the product that shows the picture, 0 for any other image.
 */
const model = "mock";
const maxPixels = 25_000_000;
/** Of any other image, and of the products after the one that shows a picture. */
const otherProducts = 10;
const highest = 0.9;
const step = 0.02;

type ImagePorts = {
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
};

/** `products` are those of the catalog, in the order of their rows. */
export function createImagePorts(products: readonly StoredProduct[], pictures: SamplePictures): ImagePorts {
  const rowOf = new Map<string, number>();
  for (const { rowId, images } of products)
    for (const image of images) if (!rowOf.has(image)) rowOf.set(image, rowId);
  const describe = (bytes: Uint8Array): Descriptor => {
    const address = pictures.addressOf(bytes);
    return { model, vector: Float32Array.of((address && rowOf.get(address)) || 0) };
  };
  return {
    visionModel: {
      async describe(bytes) {
        readSize(bytes);
        return describe(bytes);
      },
      detect: async (bytes) => [wholeImage(bytes, describe(bytes), products, pictures)],
    },
    vectorSearch: {
      model: () => model,
      typicalSimilarity: () => 0,
      search: async ({ vector: [rowId = 0], limit, minSimilarity }) =>
        rank(products, rowId)
          .filter(({ similarity }) => similarity >= minSimilarity)
          .slice(0, limit),
    },
    productImageStore: {
      vectorsOf: async (rowIds) => rowIds.map((rowId) => ({ rowId, vectors: [Float32Array.of(rowId)] })),
    },
  };
}

/** The product that shows the picture, then others of its category, then any others. */
function rank(products: readonly StoredProduct[], rowId: number) {
  const shown = products.find((product) => product.rowId === rowId);
  const others = products.filter((product) => product !== shown);
  const alike = others.filter(({ category }) => shown !== undefined && category === shown.category);
  const rest = others.filter((product) => !alike.includes(product));
  const ranked = [...alike, ...rest].slice(0, otherProducts);
  return [
    ...(shown ? [{ rowId: shown.rowId, similarity: 1 }] : []),
    ...ranked.map((product, index) => ({ rowId: product.rowId, similarity: highest - index * step })),
  ];
}

/** One object that fills the image; its crop is the picture itself, or the first one of the catalog for any other image. */
function wholeImage(
  bytes: Uint8Array,
  descriptor: Descriptor,
  products: readonly StoredProduct[],
  pictures: SamplePictures,
): FoundObject {
  const size = readSize(bytes);
  const [rowId = 0] = descriptor.vector;
  const product = products.find((one) => one.rowId === rowId) ?? products[0];
  const crop = rowId > 0 ? bytes : (pictures.read(product?.images[0] ?? "") ?? bytes);
  return {
    name: product?.category?.toLowerCase() ?? "object",
    confidence: 0.9,
    box: { x: 0, y: 0, ...size },
    crop,
    descriptor,
  };
}

/** Only the header is looked at: the mock decodes no image. */
function readSize(bytes: Uint8Array) {
  const size = imageSize(bytes);
  if (size === undefined || size.width === 0 || size.height === 0)
    throw new ApiError(
      "invalid_image",
      "the bytes are not a readable image. Send a complete JPEG, PNG, WebP, AVIF or GIF file.",
    );
  if (size.width * size.height > maxPixels)
    throw new ApiError(
      "payload_too_large",
      `the image has ${size.width} × ${size.height} pixels; at most ${maxPixels} are allowed. Scale it down.`,
    );
  return size;
}
