import type { ShopProduct } from "../shop.ts";

/** Colours that are called the same in CSS. */
const plain = new Set(
  (
    "beige black blue brown coral crimson cyan gold gray green grey indigo ivory khaki lavender lime magenta maroon " +
    "navy olive orange orchid pink plum purple red salmon silver tan teal tomato turquoise violet white yellow"
  ).split(" "),
);

/** And others. */
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

/** Of "Navy blue" the first word says more than the second, of "Dark green" the first says nothing. */
function cssColour(name: string): string | undefined {
  for (const word of name.toLowerCase().split(/[\s/,-]+/)) {
    const css = others[word] ?? (plain.has(word) ? word : undefined);
    if (css !== undefined) return css;
  }
  return undefined;
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
    <svg className="dot" viewBox="0 0 16 16" aria-hidden="true">
      <title>{colour}</title>
      <circle cx="8" cy="8" r="7.5" fill={css} />
    </svg>
  );
}
