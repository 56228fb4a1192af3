import type { OverlayOptions } from "sharp";
import sharp from "sharp";
import type { Box } from "../src/vision-model.ts";
import { plainCopy } from "../train/patch-model.ts";

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

const nearWhite = 238;

/** An object on a transparent background. */
interface CutOut {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The largest object of an image on white, without its background; nothing if the border is not white. */
async function cutOut(image: Buffer): Promise<CutOut | undefined> {
  const pipeline = sharp(image).removeAlpha().toColourspace("srgb").raw();
  const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const labels = new Int32Array(width * height);
  const edge = [];
  for (let x = 0; x < width; x++) edge.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) edge.push(y * width, y * width + width - 1);
  const white = (at: number) =>
    Math.min(data[at * 3] ?? 0, data[at * 3 + 1] ?? 0, data[at * 3 + 2] ?? 0) >= nearWhite;
  flood(edge, labels, 1, width, white);
  let largest: number[] = [];
  for (let at = 0, label = 2; at < labels.length; at++, label++) {
    const part = flood([at], labels, label, width, () => true);
    if (part.length > largest.length) largest = part;
  }
  const rgba = Buffer.alloc(width * height * 4);
  for (const at of largest) {
    data.copy(rgba, at * 4, at * 3, at * 3 + 3);
    rgba[at * 4 + 3] = 255;
  }
  const box = boxOf(largest, width);
  const framed =
    box.left > 1 && box.top > 1 && box.left + box.width < width - 1 && box.top + box.height < height - 1;
  if (!framed || box.width < width / 4 || box.height < height / 4) return undefined;
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .extract(box)
    .png()
    .toBuffer();
  return { png, width: box.width, height: box.height };
}

/** Labels and returns the pixels that can be reached from the seeds through unlabelled passable pixels. */
function flood(
  seeds: readonly number[],
  labels: Int32Array,
  label: number,
  width: number,
  passable: (at: number) => boolean,
): number[] {
  const reached: number[] = [];
  const visit = (at: number) => {
    if (labels[at] !== 0 || !passable(at)) return;
    labels[at] = label;
    reached.push(at);
  };
  for (const seed of seeds) visit(seed);
  // The list is also the queue: it grows while the loop reads it.
  for (const at of reached) {
    if (at % width > 0) visit(at - 1);
    if (at % width < width - 1) visit(at + 1);
    if (at >= width) visit(at - width);
    if (at < labels.length - width) visit(at + width);
  }
  return reached;
}

function boxOf(pixels: readonly number[], width: number) {
  let [left, top, right, bottom] = [width, Number.POSITIVE_INFINITY, 0, 0];
  for (const at of pixels) {
    left = Math.min(left, at % width);
    right = Math.max(right, at % width);
    top = Math.min(top, Math.floor(at / width));
    bottom = Math.max(bottom, Math.floor(at / width));
  }
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}
