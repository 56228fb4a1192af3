import sharp from "sharp";

const nearWhite = 238;

/** An object on a transparent background. */
export interface CutOut {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The largest object of an image on white, without its background; nothing if the border is not white. */
export async function cutOut(image: Buffer): Promise<CutOut | undefined> {
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
