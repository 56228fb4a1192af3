import sharp from "sharp";
import type { CutObject } from "./cut-object.ts";

const canvas = 240;

/** A drawing of one to three flat shapes that touch, as simple drawings of products have. Photographs have none. */
export async function drawObject(random: () => number): Promise<CutObject> {
  const shapes = [shape(canvas / 2, canvas / 2, 40 + 60 * random(), random)];
  const extras = Math.floor(3 * random());
  for (let i = 0; i < extras; i++) {
    const angle = 2 * Math.PI * random();
    const away = 60 * random();
    const [x, y] = [canvas / 2 + away * Math.cos(angle), canvas / 2 + away * Math.sin(angle)];
    shapes.push(shape(x, y, 15 + 35 * random(), random));
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${canvas}" height="${canvas}">${shapes.join("")}</svg>`;
  const drawn = sharp(Buffer.from(svg)).trim({ threshold: 1 });
  const { data, info } = await drawn.png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true });
  return { png: Buffer.from(data), width: info.width, height: info.height };
}

function shape(x: number, y: number, size: number, random: () => number): string {
  const fill = `fill="hsl(${Math.floor(360 * random())}, ${Math.floor(90 * random())}%, ${Math.floor(10 + 80 * random())}%)"`;
  const [wide, tall] = [size * (0.4 + 0.6 * random()), size * (0.4 + 0.6 * random())];
  const kind = random();
  if (kind < 0.35) return `<ellipse cx="${x}" cy="${y}" rx="${wide}" ry="${tall}" ${fill}/>`;
  if (kind < 0.7) {
    const round = random() < 0.5 ? 0 : wide * random();
    return `<rect x="${x - wide}" y="${y - tall}" width="${2 * wide}" height="${2 * tall}" rx="${round}" ${fill}/>`;
  }
  const corners = 3 + Math.floor(5 * random());
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * (i + random() / 2)) / corners;
    return `${x + wide * Math.cos(angle)},${y + tall * Math.sin(angle)}`;
  });
  return `<polygon points="${points.join(" ")}" ${fill}/>`;
}
