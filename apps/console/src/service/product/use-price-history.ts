import type { AnyProduct } from "@product-search/client";
import { useMemo } from "react";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { type PricePoint, toPricePoints } from "./price-history.ts";

/** The service's limit of a page. */
const pageSize = 1000;
const maxPages = 10;

/** All prices of a product. Until they have come, and without a token, those that the product itself carries. */
export function usePriceHistory(product: AnyProduct): readonly PricePoint[] {
  const { client, token } = useService();
  const request = useRequest(token && `${token} ${product._id}`, async (signal) => {
    const entries = [];
    let pages = 0;
    for await (const page of client.priceHistoryPages(product._id, { limit: pageSize }, { signal })) {
      entries.push(...page.priceHistory);
      pages += 1;
      if (pages === maxPages) break;
    }
    return entries;
  });
  const own = "priceHistory" in product ? product.priceHistory : undefined;
  const history = request.response ?? own;
  return useMemo(() => toPricePoints(history ?? []), [history]);
}
