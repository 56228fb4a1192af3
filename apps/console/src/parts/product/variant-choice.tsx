import type { AnyProduct, ProductVariant } from "@product-search/client";
import { useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { attributeTitle } from "../../service/catalog/catalog-address.ts";
import { formatPrice } from "../../service/money.ts";
import { productPath } from "../../service/product/use-product.ts";
import {
  areDistinct,
  closestVariant,
  hasExactVariant,
  variantAxes,
  variantValue,
} from "../../service/product/variants.ts";

interface VariantChoiceProps {
  product: AnyProduct;
  /** All of the group, the product among them. */
  variants: readonly ProductVariant[];
}

/** The variants by what they differ in, or as a list where that does not tell them apart. */
export function VariantChoice({ product, variants }: VariantChoiceProps) {
  const [, navigate] = useLocation();
  // What was chosen is shown as chosen at once, while its product is on its way.
  const [chosenId, setChosenId] = useState(product._id);
  useEffect(() => setChosenId(product._id), [product._id]);
  const present = variants.find(({ _id }) => _id === chosenId);
  if (!present || variants.length < 2) return null;
  const source = "source" in product ? { source: product.source } : {};
  // Trying variants is one visit of a page: Back leads to where one came from.
  const choose = ({ _id, slug }: ProductVariant) => {
    setChosenId(_id);
    navigate(productPath({ _id, slug, ...source }), { replace: true });
  };
  const axes = variantAxes(variants);
  if (!areDistinct(variants, axes))
    return <VariantList variants={variants} present={present} onChoose={choose} />;
  const isSinglePriced = new Set(variants.map(({ price }) => price)).size === 1;
  return axes.map((axis) => {
    const { name } = axis;
    const options = axis.options.map((option) => {
      const variant = closestVariant(option, present, axes) ?? present;
      return {
        key: option.value,
        text: option.value || "None",
        color: option.color,
        price: axes.length === 1 && !isSinglePriced ? variant.price : undefined,
        isChosen: option.variants.includes(present),
        isMissing: !hasExactVariant(option, present, axes, name),
        choose: () => choose(variant),
      };
    });
    return (
      <Options
        key={name}
        title={attributeTitle(name)}
        value={variantValue(present, name)}
        options={options}
      />
    );
  });
}

interface VariantListProps {
  variants: readonly ProductVariant[];
  present: ProductVariant;
  onChoose: (variant: ProductVariant) => void;
}

function VariantList({ variants, present, onChoose }: VariantListProps) {
  const options = variants.map((variant) => ({
    key: variant._id,
    text: Object.values(variant.attributes).flat().join(", ") || variant.slug.replaceAll("-", " "),
    color: undefined,
    price: variant.price,
    isChosen: variant === present,
    isMissing: variant.availability === "out_of_stock",
    choose: () => onChoose(variant),
  }));
  return <Options title="Variants" value={String(variants.length)} options={options} />;
}

interface Option {
  key: string;
  text: string;
  color: string | undefined;
  price: number | undefined;
  isChosen: boolean;
  /** Out of stock, or not with the other values that are chosen: one of those changes too. */
  isMissing: boolean;
  choose: () => void;
}

function Options({ title, value, options }: { title: string; value: string; options: readonly Option[] }) {
  const group = useId();
  return (
    <fieldset className="segmented variants">
      <legend dir="auto">
        <span className="muted">{title}:</span> {value || "None"}
      </legend>
      {options.map(({ key, text, color, price, isChosen, isMissing, choose }) => (
        <label key={key} className={isMissing && !isChosen ? "missing" : undefined}>
          <input type="radio" name={group} checked={isChosen} onChange={choose} />
          <span dir="auto">
            {color !== undefined && <i className="swatch" style={{ background: color }} />}
            {text}
            {price !== undefined && <small className="muted">{formatPrice(price)}</small>}
            {isMissing && <span className="visually-hidden"> (not available like this)</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
