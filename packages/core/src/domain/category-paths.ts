import type { ProductInput } from "./product.ts";

export const maxCategoryLevels = 8;
const maxCategories = 20;

/** The names of a path such as "Home > Furniture > Sofas", top first; none for a blank one. */
export function splitCategoryPath(text: string, separator = ">"): string[] {
  return text.split(separator).flatMap((name) => name.trim() || []);
}

/** Several categories of a product, the main one first, in the form in which they are stored. */
export function toCategories(
  paths: readonly (readonly string[])[],
): Pick<ProductInput, "category" | "categoryPaths"> {
  const cut = paths.map((path) => path.slice(0, maxCategoryLevels)).filter((path) => path.length > 0);
  const different = [...new Map(cut.map((path) => [path.join("\n"), path])).values()].slice(0, maxCategories);
  const category = different[0]?.at(-1);
  if (category === undefined) return {};
  const isOneName = different.length === 1 && different[0]?.length === 1;
  return isOneName ? { category } : { category, categoryPaths: different };
}

/** Whether a category says what its products are: "187" is only a number in a taxonomy. */
export function isCategoryName(category: string): boolean {
  return /\p{L}/u.test(category);
}

/** All categories of a product as paths, the main one first. */
export function categoryPathsOf({
  category,
  categoryPaths,
}: Pick<ProductInput, "category" | "categoryPaths">): readonly string[][] {
  return categoryPaths ?? (category === undefined ? [] : [[category]]);
}
