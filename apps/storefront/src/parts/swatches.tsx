import type { ShopProduct } from "../shop.ts";

/** Names of colours that CSS does not know. */
const others: Readonly<Record<string, string>> = {
  anthracite: "#383e42",
  burgundy: "#800020",
  camel: "#c19a6b",
  charcoal: "#36454f",
  cream: "#fffdd0",
  mustard: "#e1ad01",
  natural: "#e8dcc4",
  oak: "#b8895a",
  rose: "#f4a6b7",
  sand: "#d8c49c",
  walnut: "#5c4033",
};

function cssColour(name: string): string | undefined {
  const word =
    name
      .toLowerCase()
      .split(/[\s/,-]+/)
      .at(-1) ?? "";
  return others[word] ?? (CSS.supports("color", word) ? word : undefined);
}

/** A dot for each colour, and how many variants there are. */
export function Swatches({ product, count }: { product: ShopProduct; count: number }) {
  const variants = product.variants ?? [];
  const colours = new Set(variants.flatMap(({ attributes = {} }) => attributes.color ?? []));
  return (
    <p className="swatches">
      {[...colours].slice(0, 6).map((colour) => (
        <Dot key={colour} colour={colour} />
      ))}
      <span>{count} variants</span>
    </p>
  );
}

/** Absent for a colour that is only a name. */
export function Dot({ colour }: { colour: string }) {
  const css = cssColour(colour);
  return css === undefined ? null : (
    <span className="dot" style={{ background: css }} title={colour} aria-hidden="true" />
  );
}
