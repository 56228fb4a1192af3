import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OverlayOptions } from "sharp";
import sharp from "sharp";
import { decodeImage, labFromRaster, type OpenedImage, openImage } from "../src/image/open-image.ts";
import { connectedParts, segmentForeground } from "../src/objects/foreground.ts";
import type { Box } from "../src/vision-model.ts";
import { augment, plainCopy, type TransformName } from "./patch-model.ts";

const rasterSide = 256;
const minConfidence = 0.6;
/** Of the image. */
const minArea = 0.06;
/** Of its box: the rest of a torn mask has less. */
const minCompactness = 0.3;
const maxSecondPart = 0.1;

const canvas = 240;

/** An image composed to learn from, and the boxes of its objects, the last one in front. */
export interface Scene {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}

const longSide = 480;
const maxObjects = 4;
const maxCovered = 0.25;

/** What scenes are composed of. */
export interface SceneSource {
  readonly photographs: readonly string[];
  /** In groups that count the same, however many they have. */
  readonly objects: readonly (readonly SceneObject[])[];
}

export interface SceneObject extends CutObject {
  /** The photograph that the object was cut out of, and its box there. */
  readonly origin?: { readonly path: string; readonly box: Box };
}

const drawnObjects = 200;
const uncomposed = 0.1;

/** Cuts objects out of the photographs, a group for each of their sources, and adds a group of drawn ones. */
export async function gatherObjects(photographs: readonly Photograph[]): Promise<SceneSource> {
  const groups = new Map<string, SceneObject[]>();
  for (const { path, source } of photographs) {
    const cut = await cutObject(await openImage(readFileSync(path)));
    if (cut === undefined) continue;
    const object = { ...cut.object, origin: { path, box: cut.box } };
    groups.set(source, [...(groups.get(source) ?? []), object]);
  }
  const random = createRandom(1);
  const drawn: SceneObject[] = [];
  for (let i = 0; i < drawnObjects; i++) drawn.push(await drawObject(random));
  return { photographs: photographs.map(({ path }) => path), objects: [...groups.values(), drawn] };
}

/** The same number gives the same scene. Some are photographs as they are. */
export async function sceneAt({ photographs, objects }: SceneSource, number: number): Promise<Scene> {
  const random = createRandom(number);
  const { origin } = pick(pick(objects, random), random);
  if (origin === undefined || random() >= uncomposed) return composeScene(objects, photographs, random);
  const bytes = readFileSync(origin.path);
  const { width, height } = await openImage(bytes);
  return { bytes, width, height, boxes: [origin.box] };
}

/** None to four objects anywhere, on a background of one colour, a gradient, texture or a photograph. */
async function composeScene(
  objects: SceneSource["objects"],
  photographs: readonly string[],
  random: () => number,
): Promise<Scene> {
  const aspect = 0.6 + random();
  const width = Math.round(longSide * Math.min(1, aspect));
  const height = Math.round(longSide * Math.min(1, 1 / aspect));
  const backdrop = await background(width, height, photographs, random);
  const count = Math.floor((maxObjects + 0.5) * random() ** 0.8);
  const boxes: Box[] = [];
  const layers: OverlayOptions[] = [];
  for (let i = 0; i < count; i++) {
    const object = pick(pick(objects, random), random);
    const box = freePlace(object, { width, height, boxes, count }, random);
    if (box === undefined) continue;
    boxes.push(box);
    layers.push({ input: await changed(object, box, random), left: box.x, top: box.y });
  }
  const composed = sharp(backdrop).composite(layers);
  const bytes = await composed.jpeg({ quality: 60 + Math.floor(random() * 36) }).toBuffer();
  return { bytes, width, height, boxes };
}

async function background(
  width: number,
  height: number,
  photographs: readonly string[],
  random: () => number,
): Promise<Buffer> {
  const kind = random();
  if (kind < 0.3) {
    const colour = () =>
      `hsl(${Math.floor(random() * 360)}, ${Math.floor(random() * 70)}%, ${15 + Math.floor(random() * 80)}%)`;
    const from = kind < 0.1 ? "#fff" : colour();
    const to = kind < 0.2 ? from : colour();
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <linearGradient id="g" x2="${random()}" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/>
      </linearGradient><rect width="100%" height="100%" fill="url(#g)"/></svg>`;
    return sharp(Buffer.from(svg)).flatten().png({ compressionLevel: 1 }).toBuffer();
  }
  // Enlarged two to three times it is texture, else it has things of its own, which are not the objects.
  const enlarged = kind < 0.55 ? 2 + random() : 1 + 0.2 * random();
  const [fullWidth, fullHeight] = [Math.ceil(width * enlarged), Math.ceil(height * enlarged)];
  const full = await sharp(pick(photographs, random))
    .autoOrient()
    .resize(fullWidth, fullHeight, { fit: "cover" })
    .flatten()
    .toColourspace("srgb")
    .png({ compressionLevel: 1 })
    .toBuffer();
  const left = Math.floor(random() * (fullWidth - width));
  const top = Math.floor(random() * (fullHeight - height));
  const part = sharp(full).extract({ left, top, width, height });
  return part
    .flop(random() < 0.5)
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** A place where the object hides little of the others; nothing after some attempts. */
function freePlace(
  object: CutObject,
  { width, height, boxes, count }: { width: number; height: number; boxes: readonly Box[]; count: number },
  random: () => number,
): Box | undefined {
  for (let attempt = 0; attempt < 12; attempt++) {
    const share = 0.03 + (0.6 / count - 0.03) * random();
    const stretch = 0.85 + 0.3 * random();
    const aspect = (object.width / object.height) * stretch;
    const tall = Math.sqrt((share * width * height) / aspect);
    const box = { width: Math.round(tall * aspect), height: Math.round(tall), x: 0, y: 0 };
    if (box.width > width - 4 || box.height > height - 4 || Math.min(box.width, box.height) < 16) continue;
    box.x = Math.floor(random() * (width - box.width));
    box.y = Math.floor(random() * (height - box.height));
    if (boxes.every((other) => covered(box, other) <= maxCovered)) return box;
  }
  return undefined;
}

/** The common area, as a share of the smaller box. */
function covered(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(a.width * a.height, b.width * b.height);
}

function changed(object: CutObject, { width, height }: Box, random: () => number): Promise<Buffer> {
  const sized = sharp(object.png)
    .resize(width, height, { fit: "fill" })
    .flop(random() < 0.5);
  const light = { brightness: 0.75 + 0.4 * random(), saturation: 0.7 + 0.5 * random() };
  return sized.modulate(light).png({ compressionLevel: 1 }).toBuffer();
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to compose scenes of.");
  return item;
}

/** Of each cell: whether it is inside an object, and its distances to the left, top, right and bottom side, in cells. */
export const labelLength = 5;

/** A drawing of one to three flat shapes that touch, as simple drawings of products have. Photographs have none. */
async function drawObject(random: () => number): Promise<CutObject> {
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

/** An object on a transparent background. */
interface CutObject {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The object of an image that shows a single one on an even background, and its box there; or nothing. */
async function cutObject(image: OpenedImage): Promise<{ object: CutObject; box: Box } | undefined> {
  const raster = await decodeImage(image, rasterSide);
  const foreground = segmentForeground(labFromRaster(raster));
  const { width, height, mask, confidence } = foreground;
  const [part, second] = connectedParts(foreground).sort((a, b) => b.pixels.length - a.pixels.length);
  if (part === undefined || confidence < minConfidence) return undefined;
  const { box, pixels } = part;
  const isAlone = second === undefined || second.pixels.length <= pixels.length * maxSecondPart;
  if (!isAlone || pixels.length < mask.length * minArea) return undefined;
  const isWhole = box.x > 0 && box.y > 0 && box.x + box.width < width && box.y + box.height < height;
  if (!isWhole || pixels.length < minCompactness * box.width * box.height) return undefined;
  const rgba = Buffer.alloc(mask.length * 4);
  for (const at of pixels) {
    rgba.set(raster.rgb.subarray(at * 3, at * 3 + 3), at * 4);
    rgba[at * 4 + 3] = Math.round(255 * (mask[at] ?? 0));
  }
  const cut = sharp(rgba, { raw: { width, height, channels: 4 } });
  const png = await cut
    .extract({ left: box.x, top: box.y, width: box.width, height: box.height })
    .png()
    .toBuffer();
  const scale = { x: image.width / width, y: image.height / height };
  return {
    object: { png, width: box.width, height: box.height },
    box: {
      x: box.x * scale.x,
      y: box.y * scale.y,
      width: box.width * scale.x,
      height: box.height * scale.y,
    },
  };
}

/** An image unchanged, or changed in one way. */
export type Form = TransformName | "none";

/** One image in each of the forms, in their order. */
export async function* formsOf(
  paths: readonly string[],
  index: number,
  forms: readonly Form[],
): AsyncGenerator<OpenedImage> {
  const path = paths[index] ?? "";
  const image = await plainCopy(readFileSync(path));
  const backdrop = await plainCopy(readFileSync(paths[backdropOf(index, paths.length)] ?? path));
  for (const form of forms) {
    const bytes = form === "none" ? readFileSync(path) : await augment(form, image, backdrop);
    yield openImage(bytes);
  }
}

/** An unrelated image to put behind image `index`, always the same one for that index. */
function backdropOf(index: number, count: number): number {
  return (index * 7919 + 311) % count;
}

/** Numbers from 0 to 1 that depend only on the seed (mulberry32), so that training is repeatable. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

/** One row of a manifest. */
export interface Photograph {
  readonly path: string;
  /** The subfolder: photographs of one source share camera, light and background. */
  readonly source: string;
  /** The same for all photographs of one product; empty if the manifest does not name one. */
  readonly product: string;
  readonly class: string;
  readonly view: string;
}

/** Reads every `<folder>/<set>/manifest.csv`, with the columns file, product, class and view. */
export function readPhotographs(folder: string): Photograph[] {
  const sets = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return sets
    .map(({ name }) => name)
    .sort()
    .flatMap((set) => {
      const rows = readFileSync(join(folder, set, "manifest.csv"), "utf8")
        .trim()
        .split(/\r?\n/)
        .slice(1);
      return rows.map((row) => {
        const [file = "", product = "", kind = "", view = ""] = row.split(",");
        return { path: join(folder, set, file), source: set, product, class: kind, view };
      });
    });
}
