import { describeMarketplaceSearch } from "../../testing/marketplace-search.ts";

describeMarketplaceSearch("searchMarketplaceA", {
  marketplace: "marketplace-a",
  teapot: { averageRating: 4.4 },
  ownFields: { source: "marketplace-a", secondhand: false },
  ownProductFields: { itemCode: "MUG100", averageRating: 4.4 },
});
