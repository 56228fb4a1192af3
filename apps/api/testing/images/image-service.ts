import type { ProductInput } from "@product-search/core/domain/product.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { drawing, type Shape } from "@product-search/testing/images/images.ts";
import { createTestService, type TestService } from "../test-service.ts";

/** The drawings of a catalog; the key of a product is its index. */
export const drawn = [
  ["disc", "#c02020"],
  ["square", "#2040c0"],
  ["ring", "#208040"],
  ["bars", "#202020"],
  ["triangle", "#d0a010"],
] as const satisfies readonly (readonly [Shape, string])[];

/** A service with these products, and with these images as its own, by path. */
export async function createProductImageService(
  images: ReadonlyMap<string, Buffer>,
  products: readonly ProductInput[],
): Promise<TestService> {
  const service = await createTestService({
    stores: () => ({ localImages: { read: async (address) => images.get(address) } }),
  });
  await service.stores.catalogStore.apply(products);
  await service.imaged();
  return service;
}

/** A service whose catalog has one product for each drawing. */
export async function createImageService(): Promise<TestService> {
  const images = new Map<string, Buffer>();
  for (const [shape, colour] of drawn) {
    images.set(`/images/${shape}.jpg`, await drawing(shape, colour).jpeg({ quality: 95 }).toBuffer());
  }
  const products = drawn.map(([shape, colour], at) =>
    fakeMug("catalog", at, { name: `${shape} ${colour}`, images: [`/images/${shape}.jpg`] }),
  );
  return createProductImageService(images, products);
}

/** Sends an image, or any other body. */
export async function post(
  service: TestService,
  path: "vectorize-image" | "detect-objects",
  payload: object | string,
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${await service.token()}`;
  return service.app.inject({
    method: "POST",
    url: `/api/v1/${path}`,
    headers: {
      authorization,
      ...(typeof payload === "string" && { "content-type": "application/json" }),
      ...headers,
    },
    payload,
  });
}
