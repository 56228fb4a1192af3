import {
  createClient,
  isProductSearchError,
  type Product,
  verifyWebhook,
  type WebhookEvent,
} from "@product-search/client";

const client = createClient({ baseUrl: "https://search.example/api/v1", token: "pss_test", timeoutMs: 5000 });

export async function cheapest(q: string): Promise<Product | undefined> {
  try {
    const { Products } = await client.searchTrial({ q, priceRange: [0, 50], sort: "price" });
    return Products[0];
  } catch (error) {
    if (isProductSearchError(error) && error.code === "rate_limited") return undefined;
    throw error;
  }
}

export const receive = (payload: string, headers: Headers): Promise<WebhookEvent> =>
  verifyWebhook(payload, headers, "whsec_AAAA");
