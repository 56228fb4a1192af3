import type { Random } from "../random.ts";

/** The content of an SVG pattern of 24 × 24 over the colour. Light and dark strokes work on any colour. */
export function textureMarks(texture: string, random: Random): string {
  const dark = (path: string, width: number) =>
    `<path d="${path}" stroke="#000" stroke-opacity=".22" stroke-width="${width}" fill="none"/>`;
  const light = (path: string, width: number) =>
    `<path d="${path}" stroke="#fff" stroke-opacity=".3" stroke-width="${width}" fill="none"/>`;
  const dots = (count: number, radius: number) =>
    Array.from(
      { length: count },
      () =>
        `<circle cx="${random.integer(1, 23)}" cy="${random.integer(1, 23)}" r="${radius}" fill="${random.chance(0.5) ? "#000" : "#fff"}" fill-opacity=".24"/>`,
    ).join("");
  switch (texture) {
    case "smooth":
      return "";
    case "grain":
      return dark("M0 5q6 -4 12 0t12 0M0 14q5 4 11 0t13 1M3 20q6 -3 10 0", 1.4);
    case "weave":
      return dark("M0 3H12M12 15H24M6 0V9M18 12V24", 3) + light("M12 3H24M0 15H12M18 0V9M6 12V24", 3);
    case "knit":
      return dark("M0 0L6 8L12 0L18 8L24 0M0 12L6 20L12 12L18 20L24 12", 2.4);
    case "wood":
      return dark("M0 4C8 1 14 8 24 4M0 12C6 14 16 9 24 12M0 20C9 17 15 23 24 20", 1.8);
    case "metal":
      return light("M0 2H24M0 8H24M0 14H24M0 20H24", 1);
    case "glass":
      return light("M-4 20L20 -4M6 28L28 6", 4);
    case "mesh":
      return dark("M0 0L24 24M24 0L0 24M12 0L24 12L12 24L0 12Z", 1.6);
    case "speckle":
      return dots(14, 1.3);
    default:
      throw new Error(`There is no drawing of the texture ${texture}.`);
  }
}
