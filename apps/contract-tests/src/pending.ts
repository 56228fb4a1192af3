/** Operations whose feature has not landed: only their refusals are tested. The list only ever shrinks. */
export const pendingOperations: readonly string[] = [
  "vectorizeImage",
  "detectObjects",
  "searchByImage",
  "searchTrial",
  "searchMarketplaceA",
  "searchMarketplaceB",
  "searchBrands",
  "deepSearch",
];
