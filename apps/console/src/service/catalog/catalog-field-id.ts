/** The field that `/` and ⌘K go to. */
export const catalogFieldId = "catalog-search";
