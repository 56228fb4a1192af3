import type { Brand } from "@product-search/types";

/** The brand as answers show it; the last segment of its page's address is the percent-encoded name. */
export function toBrand(name: string, publicUrl: string): Brand {
  return { name, serviceBrandPageUrl: `${publicUrl}/brands/${encodeURIComponent(name.toWellFormed())}` };
}
