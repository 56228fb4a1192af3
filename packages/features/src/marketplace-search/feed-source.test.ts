import { describeMarketplaceSource } from "@product-search/testing/contracts/marketplace-source/contract.ts";
import { createNaiveCatalog, listed } from "@product-search/testing/naive-catalog.ts";
import { createFeedSource } from "./feed-source.ts";

describeMarketplaceSource("feed", async (marketplace, count) => {
  const others = [
    listed("marketplace-a", 9001, { name: "Mug" }),
    listed("marketplace-a", 9002, { name: "Mug" }),
  ];
  const own = Array.from({ length: count }, (_, at) => listed(marketplace, at + 1, { name: `Mug ${at}` }));
  const source = createFeedSource({ marketplace, ...createNaiveCatalog([...others, ...own]) });
  return { source, close: async () => {} };
});
