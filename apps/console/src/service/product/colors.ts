import { foldName } from "../search/category-tree.ts";

/**
 * The colour that a value such as "Sky Blue", "burgundy" or "Black/White" names, for CSS: two colours stand side by side.
 * Undefined where it names none.
 */
export function cssColor(value: string): string | undefined {
  const parts = foldName(value)
    .split(/\s*(?:[/,+&]|\band\b|\bund\b|\bet\b|\by\b)\s*/)
    .filter((part) => part !== "");
  const colors = parts.map(colorOf);
  const [first, second] = colors;
  if (first === undefined || colors.includes(undefined)) return undefined;
  return second === undefined ? first : `linear-gradient(135deg, ${first} 50%, ${second} 50%)`;
}

/**
 * Whether an attribute holds colours, by its name: "color", "Frame colour" or "Rahmenfarbe". Values alone do not tell: linen
 * is a colour of CSS and a material.
 */
export function isColorAttribute(name: string): boolean {
  const words = foldName(name).split(/[^\p{L}]+/u);
  return words.some((word) => colorWords.has(word) || word.endsWith("farbe"));
}

/** In the languages of `shopColors`. */
const colorWords = new Set([
  "color",
  "colors",
  "colour",
  "colours",
  "farben",
  "couleur",
  "couleurs",
  "colores",
]);

/** The whole name, else its first word ("navy blue" is navy), else its last ("bright red" is red). */
function colorOf(name: string): string | undefined {
  const words = name.split(/[\s-]+/);
  return lookUp(words.join("")) ?? lookUp(words[0] ?? "") ?? lookUp(words.at(-1) ?? "");
}

function lookUp(word: string): string | undefined {
  return shopColors.get(word) ?? (isCssName(word) ? word : undefined);
}

/** Names of CSS, but not its keywords, of which "canvas" and "field" are words of shops. */
function isCssName(word: string): boolean {
  return /^[a-z]+$/.test(word) && !systemWords.has(word) && CSS.supports("color", word);
}

const systemWords = new Set(
  (
    "accentcolor accentcolortext activetext buttonborder buttonface buttontext canvas canvastext currentcolor field " +
    "fieldtext graytext highlight highlighttext inherit initial linktext mark marktext revert revertlayer selecteditem " +
    "selecteditemtext transparent unset visitedtext activeborder activecaption appworkspace background buttonhighlight " +
    "buttonshadow captiontext inactiveborder inactivecaption inactivecaptiontext infobackground infotext menu menutext " +
    "scrollbar threeddarkshadow threedface threedhighlight threedlightshadow threedshadow window windowframe windowtext"
  ).split(" "),
);

/** Words of shops that CSS lacks, and the basic colours in German, French and Spanish, without accents. */
const shopColors: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amber: "#ffbf00",
    anthracite: "#383e42",
    apricot: "#fbceb1",
    bordeaux: "#5f021f",
    brass: "#b5a642",
    bronze: "#cd7f32",
    burgundy: "#800020",
    camel: "#c19a6b",
    caramel: "#b5713a",
    champagne: "#f7e7ce",
    charcoal: "#36454f",
    cognac: "#9a463d",
    copper: "#b87333",
    cream: "#fff3d6",
    denim: "#1560bd",
    ecru: "#ddd1b3",
    emerald: "#2fa866",
    graphite: "#41424c",
    jade: "#00a86b",
    lilac: "#c8a2c8",
    mauve: "#b784a7",
    mint: "#98e8c1",
    mustard: "#d9a521",
    natural: "#e3d5b8",
    nude: "#e3bc9a",
    ochre: "#cc7722",
    offwhite: "#faf8f0",
    peach: "#ffdab0",
    petrol: "#005f6a",
    rose: "#f08fa9",
    rosegold: "#b76e79",
    ruby: "#9b111e",
    rust: "#b7410e",
    sage: "#9caf88",
    sand: "#d8c3a0",
    sapphire: "#0f52ba",
    stone: "#b8b0a2",
    taupe: "#8b7d70",
    terracotta: "#d9694c",
    wine: "#722f37",
    // German
    beige: "#f5f5dc",
    blau: "#1f5fbf",
    braun: "#8b4f25",
    gelb: "#ffd500",
    grau: "#808080",
    grun: "#2e8b3d",
    rosa: "#f7a8c4",
    rot: "#d32020",
    schwarz: "#000000",
    silber: "#c0c0c0",
    turkis: "#30d5c8",
    weiß: "#ffffff",
    weiss: "#ffffff",
    // French
    blanc: "#ffffff",
    bleu: "#1f5fbf",
    gris: "#808080",
    jaune: "#ffd500",
    marron: "#7a4a2a",
    noir: "#000000",
    rouge: "#d32020",
    vert: "#2e8b3d",
    // Spanish
    amarillo: "#ffd500",
    azul: "#1f5fbf",
    blanco: "#ffffff",
    morado: "#7d3c98",
    naranja: "#ff8c1a",
    negro: "#000000",
    rojo: "#d32020",
    verde: "#2e8b3d",
  }),
);
