/** The name of a colour, and how it is drawn. */
export interface Colour {
  name: string;
  hex: string;
}

const hexByName = {
  Black: "#23252a",
  White: "#eceae4",
  Grey: "#8b8f94",
  Charcoal: "#44474d",
  Silver: "#bfc4c9",
  Beige: "#d6c3a1",
  Cream: "#efe3c8",
  Brown: "#6f4a2f",
  Tan: "#b98350",
  Red: "#c32f33",
  Burgundy: "#6d1f33",
  Orange: "#e0742a",
  Mustard: "#d0a12c",
  Yellow: "#ecca3c",
  Green: "#3c8a4e",
  Olive: "#70733a",
  Mint: "#a3d7bd",
  Teal: "#1f7d80",
  Turquoise: "#3db9bd",
  Blue: "#2f62b5",
  "Navy Blue": "#22335f",
  "Sky Blue": "#88bbe2",
  Purple: "#6f429b",
  Lavender: "#b6a3d8",
  Pink: "#e38fae",
  Coral: "#ec7763",
  Gold: "#c9a24a",
  Copper: "#b4693f",
} as const;

export type ColourName = keyof typeof hexByName;

export function colourOf(name: ColourName): Colour {
  return { name, hex: hexByName[name] };
}

export const fabricColours = [
  "Black",
  "White",
  "Grey",
  "Charcoal",
  "Beige",
  "Red",
  "Burgundy",
  "Orange",
  "Mustard",
  "Yellow",
  "Green",
  "Olive",
  "Mint",
  "Teal",
  "Turquoise",
  "Blue",
  "Navy Blue",
  "Sky Blue",
  "Purple",
  "Lavender",
  "Pink",
  "Coral",
] as const satisfies readonly ColourName[];

export const leatherColours = [
  "Black",
  "Brown",
  "Tan",
  "Burgundy",
  "Navy Blue",
  "Olive",
  "Cream",
  "Red",
  "Grey",
] as const satisfies readonly ColourName[];

export const metalColours = [
  "Silver",
  "Gold",
  "Copper",
  "Black",
  "White",
] as const satisfies readonly ColourName[];

export const woodColours = [
  "Brown",
  "Tan",
  "Beige",
  "Black",
  "White",
] as const satisfies readonly ColourName[];

export const paintColours = [
  "Black",
  "White",
  "Grey",
  "Cream",
  "Red",
  "Mustard",
  "Green",
  "Olive",
  "Mint",
  "Teal",
  "Blue",
  "Navy Blue",
  "Sky Blue",
  "Lavender",
  "Pink",
  "Coral",
  "Orange",
] as const satisfies readonly ColourName[];
