import { describeMarketplaceSearch } from "../../testing/marketplace-search.ts";

describeMarketplaceSearch("searchMarketplaceB", {
  marketplace: "marketplace-b",
  settings: { SECONDHAND_SOURCES: "marketplace-b" },
  teapot: { reviewCount: 12 },
  ownFields: { secondhand: true },
  ownProductFields: { reviewCount: 12 },
});
