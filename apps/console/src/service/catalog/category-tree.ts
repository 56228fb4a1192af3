import type { FacetValue } from "@product-search/client";
import { foldName } from "./fold-name.ts";

/** A category with those below it. */
export interface CategoryNode {
  /** As the service takes it for a filter: all names from the top, such as `Home > Lamps`. */
  path: string;
  name: string;
  count: number;
  children: CategoryNode[];
}

const separator = " > ";

/** The last name of a path, or the name itself. */
export function categoryName(path: string): string {
  return path.split(separator).at(-1) ?? path;
}

export function toCategoryPath(names: readonly string[]): string {
  return names.join(separator);
}

/** The tree of the paths that the service counts. A path whose parent is not among them stands at the top. */
export function categoryTree(paths: readonly FacetValue[]): CategoryNode[] {
  const nodes = new Map<string, CategoryNode>();
  for (const { value, count } of paths) {
    // The service counts each spelling by itself; a filter means all of them.
    const former = nodes.get(foldName(value));
    nodes.set(foldName(value), {
      path: former?.path ?? value,
      name: former?.name ?? categoryName(value),
      count: count + (former?.count ?? 0),
      children: [],
    });
  }
  const roots: CategoryNode[] = [];
  for (const [key, node] of nodes) {
    const parent = nodes.get(key.slice(0, Math.max(0, key.lastIndexOf(separator))));
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** A filter is a whole path, or a name at any level. */
export function isCategoryChosen({ path, name }: CategoryNode, chosen: readonly string[]): boolean {
  return chosen.some((one) => foldName(one) === foldName(path) || foldName(one) === foldName(name));
}

/** Whether a category is chosen somewhere below. */
export function hasChosenBelow(node: CategoryNode, chosen: readonly string[]): boolean {
  return node.children.some((child) => isCategoryChosen(child, chosen) || hasChosenBelow(child, chosen));
}

/** Choosing a category replaces those above and below it: it is a part of the ones, and includes the others. */
export function toggleCategory(node: CategoryNode, chosen: readonly string[]): string[] {
  const [path, name] = [foldName(node.path), foldName(node.name)];
  const others = chosen.filter((one) => foldName(one) !== path && foldName(one) !== name);
  if (others.length < chosen.length) return others;
  const isRelated = (one: string) =>
    path.startsWith(`${foldName(one)}${separator}`) || foldName(one).startsWith(`${path}${separator}`);
  return [...others.filter((one) => !isRelated(one)), node.path];
}
