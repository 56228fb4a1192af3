import type { ProductVariant } from "@product-search/client";
import { inNaturalOrder } from "../search/catalog-address.ts";
import { foldName } from "../search/category-tree.ts";
import { cssColor, isColorAttribute } from "./colors.ts";

/** One thing by which the variants of a group differ, such as their colour. */
export interface VariantAxis {
  name: string;
  /** A colour attribute with at least one known colour. */
  isColor: boolean;
  options: readonly VariantOption[];
}

export interface VariantOption {
  /** The values of the attribute; empty for a variant without it. */
  value: string;
  /** Of a colour attribute, for CSS; undefined for a colour that is not known. */
  color: string | undefined;
  /** Those that have this value, in the order of the group. */
  variants: readonly ProductVariant[];
}

export function variantValue(variant: ProductVariant, name: string): string {
  // A shop may name an attribute as each object has one: "constructor".
  return Object.hasOwn(variant.attributes, name) ? (variant.attributes[name]?.join(", ") ?? "") : "";
}

/** The attributes in which variants differ, colours first. */
export function variantAxes(variants: readonly ProductVariant[]): VariantAxis[] {
  const names = new Set(variants.flatMap(({ attributes }) => Object.keys(attributes)));
  return [...names]
    .map((name) => axisOf(name, variants))
    .filter(({ options }) => options.length > 1)
    .toSorted((one, other) => Number(other.isColor) - Number(one.isColor));
}

function axisOf(name: string, variants: readonly ProductVariant[]): VariantAxis {
  const byValue = Map.groupBy(variants, (variant) => foldName(variantValue(variant, name)));
  const hasColors = isColorAttribute(name);
  const options = [...byValue.values()].map((own) => {
    const value = own[0] ? variantValue(own[0], name) : "";
    return { value, color: hasColors ? cssColor(value) : undefined, variants: own };
  });
  const isColor = options.some(({ color }) => color !== undefined);
  return { name, isColor, options: inNaturalOrder(options) };
}

/** Whether the attributes tell all variants apart: otherwise one must choose from a list of them. */
export function areDistinct(variants: readonly ProductVariant[], axes: readonly VariantAxis[]): boolean {
  const keys = variants.map((variant) =>
    JSON.stringify(axes.map(({ name }) => foldName(variantValue(variant, name)))),
  );
  return new Set(keys).size === variants.length;
}

/** The variant of an option that keeps most of what the present one has; of equal ones, one in stock. */
export function closestVariant(
  option: VariantOption,
  present: ProductVariant,
  axes: readonly VariantAxis[],
): ProductVariant | undefined {
  const score = (variant: ProductVariant) => {
    const kept = axes.filter(
      ({ name }) => foldName(variantValue(variant, name)) === foldName(variantValue(present, name)),
    );
    return 2 * kept.length + (variant.availability === "out_of_stock" ? 0 : 1);
  };
  return option.variants.toSorted((one, other) => score(other) - score(one))[0];
}

/** Whether an option has a variant with all other values of the present one. */
export function hasExactVariant(
  option: VariantOption,
  present: ProductVariant,
  axes: readonly VariantAxis[],
  name: string,
): boolean {
  const others = axes.filter((axis) => axis.name !== name);
  return option.variants.some(
    (variant) =>
      variant.availability !== "out_of_stock" &&
      others.every(
        (axis) => foldName(variantValue(variant, axis.name)) === foldName(variantValue(present, axis.name)),
      ),
  );
}
