import { type AnyProduct, isProductSearchError, type ProductResponse } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

/** A product, and what takes a token: its availability and variants. */
export interface FoundProduct {
  product: AnyProduct;
  availability?: ProductResponse["availability"] | undefined;
  /** All of its group, itself among them. */
  variants?: ProductResponse["variants"] | undefined;
}

/**
 * The product of a page: by its identifier where the URL has one, otherwise by its slug, which is made of the product's
 * words. The response is null when there is no such product.
 */
export function useProduct(slug: string, id: string) {
  const { client, token } = useService();
  return useRequest(JSON.stringify([slug, id, token]), async (signal): Promise<FoundProduct | null> => {
    const getById = async (id: string) => {
      const { product, availability, variants } = await client.getProduct(id, { signal });
      return { product, availability, variants };
    };
    try {
      if (token !== "" && id !== "") return await getById(id);
      if (slug === "") return null;
      const { Products } = await client.searchTrial({ q: slugWords(slug), literal: true }, { signal });
      const product = Products.find((one) => one.slug === slug);
      if (!product) return null;
      return token === "" ? { product } : await getById(product._id);
    } catch (error) {
      if (isProductSearchError(error) && error.code === "product_not_found") return null;
      throw error;
    }
  });
}

export function slugWords(slug: string): string {
  return slug.replaceAll("-", " ").slice(0, 512);
}

/** What the address of a product is made of; `source` is the marketplace of one that is not the catalog's. */
interface Addressed {
  _id: string;
  slug: string;
  source?: string;
}

/** The product's page here. The identifier is what the service finds it by; the slug is for people. */
export function productPath({ _id, slug, source }: Addressed): string {
  const id = new URLSearchParams({ id: _id });
  // The service itself has a page of its own at the slug of a marketplace product: the shop's, in the sample.
  return source === undefined ? `/products/${encodeURIComponent(slug)}?${id}` : `/product?${id}`;
}
