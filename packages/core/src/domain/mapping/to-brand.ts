import type { Brand } from "@product-search/types";

/** The brand in the form of responses. The last segment of its page's URL is the percent-encoded name. */
export function toBrand(name: string, publicUrl: string): Brand {
  return { name, serviceBrandPageUrl: `${publicUrl}/brands/${encodeURIComponent(name.toWellFormed())}` };
}
