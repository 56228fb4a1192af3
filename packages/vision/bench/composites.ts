import sharp, { type OverlayOptions } from "sharp";
import type { Box } from "../src/vision-model.ts";
import { plainCopy } from "../train/augment.ts";
import { type CutOut, cutOut } from "./cut-out.ts";

const backgrounds = ["white", "plain", "gradient", "clutter"] as const;
/**
 * `clutter` is an enlarged photograph and has only texture; `photograph` is one as it is, with things of its own;
 * `pattern` is drawn, of stripes and dots: no training scene has one.
 */
export type Background = (typeof backgrounds)[number] | "photograph" | "pattern";

/** An image composed of cut-out objects whose boxes are known. */
export interface Composite {
  readonly background: Background;
  /** Whether the objects were drawn so wide that neighbours may overlap. */
  readonly crowded: boolean;
  readonly bytes: Buffer;
  readonly boxes: readonly Box[];
  /** For each box, which of the images its object was cut out of. */
  readonly cutFrom: readonly number[];
}

const canvasWidth = 480;
const canvasHeight = 360;

/** Cuts objects out of the images that show one on white, and composes one to three of them on each background in turn. */
export async function* composites(
  images: readonly Buffer[],
  count: number,
  random: () => number,
  chosen: readonly Background[] = backgrounds,
): AsyncGenerator<Composite> {
  const objects: (CutOut & { cutFrom: number })[] = [];
  for (const [cutFrom, image] of images.entries()) {
    const object = await cutOut(await plainCopy(image));
    if (object !== undefined) objects.push({ ...object, cutFrom });
  }
  if (objects.length === 0) return;
  for (let i = 0; i < count; i++) {
    const background = chosen[i % chosen.length] ?? "white";
    const clutter = images[Math.floor(random() * images.length)] ?? Buffer.alloc(0);
    yield compose(background, await backdrop(background, clutter, random), objects, random);
  }
}

async function backdrop(background: Background, clutter: Buffer, random: () => number): Promise<Buffer> {
  const colour = () =>
    `hsl(${Math.floor(random() * 360)}, ${Math.floor(random() * 60)}%, ${30 + Math.floor(random() * 60)}%)`;
  if (background === "photograph") {
    const whole = sharp(clutter).autoOrient().resize(canvasWidth, canvasHeight, { fit: "cover" });
    return whole.flatten().png().toBuffer();
  }
  if (background === "clutter") {
    // Enlarged, so that the background shows only texture. A whole object in it would rightly be detected.
    const large = await sharp(clutter)
      .autoOrient()
      .resize(canvasWidth * 2, canvasHeight * 2, { fit: "cover" })
      .flatten()
      .png()
      .toBuffer();
    const at = {
      left: Math.floor(random() * canvasWidth),
      top: Math.floor(random() * canvasHeight),
      width: canvasWidth,
      height: canvasHeight,
    };
    return sharp(large).extract(at).png().toBuffer();
  }
  if (background === "pattern") {
    const tile = Math.floor(16 + 48 * random());
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${canvasWidth}" height="${canvasHeight}">
      <pattern id="p" width="${tile}" height="${tile}" patternUnits="userSpaceOnUse"
        patternTransform="rotate(${Math.floor(90 * random())})"><rect width="100%" height="100%" fill="${colour()}"/>
        <rect width="50%" height="100%" fill="${colour()}"/><circle cx="50%" cy="50%" r="20%" fill="${colour()}"/>
      </pattern><rect width="100%" height="100%" fill="url(#p)"/></svg>`;
    return sharp(Buffer.from(svg)).flatten().png().toBuffer();
  }
  const [from, to] = background === "white" ? ["#fff", "#fff"] : [colour(), colour()];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${canvasWidth}" height="${canvasHeight}">
    <linearGradient id="g" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1"
      stop-color="${background === "gradient" ? to : from}"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  return sharp(Buffer.from(svg)).flatten().png().toBuffer();
}

/** One object near the middle, or two or three side by side; every third pair overlaps. */
async function compose(
  background: Background,
  backdropImage: Buffer,
  objects: readonly (CutOut & { cutFrom: number })[],
  random: () => number,
): Promise<Composite> {
  const count = 1 + Math.floor(random() * 3);
  const overlap = count > 1 && random() < 1 / 3 ? 0.12 : 0;
  const slot = canvasWidth / count;
  const layers: OverlayOptions[] = [];
  const boxes: Box[] = [];
  const cutFrom: number[] = [];
  for (let i = 0; i < count; i++) {
    const object = objects[Math.floor(random() * objects.length)];
    if (object === undefined) continue;
    const room = { width: slot * (0.85 + 2 * overlap), height: canvasHeight * 0.85 };
    const scale =
      Math.min(room.width / object.width, room.height / object.height) *
      (overlap > 0 ? 1 : 0.6 + 0.35 * random());
    const width = Math.max(8, Math.floor(object.width * scale));
    const height = Math.max(8, Math.floor(object.height * scale));
    const freeX = slot - width;
    const x = Math.round(
      Math.min(canvasWidth - width - 6, Math.max(6, i * slot + freeX * (0.3 + 0.4 * random()))),
    );
    const y = Math.round(8 + (canvasHeight - height - 16) * random());
    layers.push({
      input: await sharp(object.png).resize(width, height, { fit: "fill" }).png().toBuffer(),
      left: x,
      top: y,
    });
    boxes.push({ x, y, width, height });
    cutFrom.push(object.cutFrom);
  }
  const bytes = await sharp(backdropImage).composite(layers).jpeg({ quality: 90 }).toBuffer();
  return { background, crowded: overlap > 0, bytes, boxes, cutFrom };
}
