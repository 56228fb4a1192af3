type Value = string | number | boolean | null | undefined | Tree | readonly Value[];
interface Tree {
  [key: string]: Value;
}

const maxDepth = 5;

/** `products[menu][brand]=Oak` is `{ products: { menu: { brand: "Oak" } } }`; keys 0, 1, … are a list. */
function parse(text: string): Value {
  const tree: Tree = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.replaceAll("]", "").split("[");
    // Names such as __proto__ are no state of a page.
    if (keys.length > maxDepth || keys.some((key) => key in Object.prototype)) continue;
    const last = keys.pop() ?? "";
    let place = tree;
    for (const key of keys) {
      if (typeof place[key] !== "object") place[key] = {};
      place = place[key] as Tree;
    }
    place[last] = value;
  }
  return withLists(tree);
}

function withLists(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([key], place) => key === String(place));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function stringify(value: Value, name = ""): string {
  if (value === undefined) return "";
  if (typeof value !== "object" || value === null)
    return `${encodeURIComponent(name)}=${encodeURIComponent(value ?? "")}`;
  return Object.entries(value)
    .map(([key, inner]) => stringify(inner, name === "" ? key : `${name}[${key}]`))
    .filter((part) => part !== "")
    .join("&");
}

/** In place of the package `qs`, which is a tenth of the page's code: InstantSearch needs no more of it. */
// biome-ignore lint/style/noDefaultExport: InstantSearch imports the default.
export default { parse, stringify };
