import sharp, { type Sharp } from "sharp";

/** Small images drawn by the tests: a shape in one colour on a background in another. */
export function drawing(
  shape: string,
  colour: string,
  background: string,
  { width = 200, height = 160 } = {},
): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 200 160">
    <rect width="200" height="160" fill="${background}"/><g fill="${colour}">${shape}</g></svg>`;
  return sharp(Buffer.from(svg)).flatten();
}

export const circleShape = `<circle cx="100" cy="80" r="45"/>`;
export const shirtShape = `<path d="M60 30 h25 q15 15 30 0 h25 l30 30 -20 20 -12 -10 v70 h-76 v-70 l-12 10 -20 -20 z"/>`;
export const bottle = `<path d="M90 15 h20 v30 q20 10 20 30 v70 h-60 v-70 q0 -20 20 -30 z"/>`;

export const solid = (width: number, height: number, background = "#ff0000"): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

export function noise(width: number, height: number): Sharp {
  const bytes = Buffer.alloc(width * height * 3);
  let state = 7;
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    bytes[i] = state >> 16;
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } });
}
