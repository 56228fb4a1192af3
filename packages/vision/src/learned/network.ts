import { instantiateKernels } from "@product-search/kernels";
import type { Raster } from "../image/open-image.ts";

/** Side of the square image that the network sees, in pixels. The same everywhere: nodes share their vectors. */
export const inputSide = 192;
export const embeddingLength = 1280;

/** EfficientNet-Lite0: repeats, kernel, stride, expansion, input and output channels of each stage. */
const stages = [
  [1, 3, 1, 1, 32, 16],
  [2, 3, 2, 6, 16, 24],
  [2, 5, 2, 6, 24, 40],
  [3, 3, 2, 6, 40, 80],
  [3, 5, 1, 6, 80, 112],
  [4, 5, 2, 6, 112, 192],
  [1, 3, 1, 6, 192, 320],
] as const;
const stemChannels = 32;
const headInputs = 320;
/** ReLU6 in units of 1/2048. */
const activated = { least: 0, most: 6 * 2048 };
const linear = { least: -32_768, most: 32_767 };
/** The network was trained on pixels less this. */
const middle = 127;

interface Layer {
  readonly kind: "pixels" | "channels";
  readonly inputs: number;
  readonly outputs: number;
  readonly kernel: number;
  readonly stride: number;
  /** Sides of the square of pixels before and after. */
  readonly sideIn: number;
  readonly side: number;
  readonly isActivated: boolean;
  /** Whether it is the last layer of its stage. */
  readonly endsStage?: boolean;
  /** Begins a block whose input is added to its output, or ends one. */
  readonly residual?: "begins" | "ends" | undefined;
}

/** For a square image of that many pixels a side, a multiple of 64. */
function layersOf(imageSide: number): Layer[] {
  let side = imageSide / 2;
  // The first convolution takes three pixels by three of three colours: as many inputs, and one more to make pairs.
  const pixels = { kind: "pixels", kernel: 1, stride: 1, isActivated: true } as const;
  const all: Layer[] = [{ ...pixels, inputs: 28, outputs: stemChannels, sideIn: side, side }];
  for (const [repeats, kernel, firstStride, expansion, inputs, outputs] of stages) {
    for (let repeat = 0; repeat < repeats; repeat++) {
      const from = repeat === 0 ? inputs : outputs;
      const stride = repeat === 0 ? firstStride : 1;
      const adds = stride === 1 && from === outputs;
      const wide = from * expansion;
      const begins = adds ? "begins" : undefined;
      if (expansion > 1)
        all.push({ ...pixels, inputs: from, outputs: wide, sideIn: side, side, residual: begins });
      const after = Math.ceil(side / stride);
      all.push({
        kind: "channels",
        inputs: wide,
        outputs: wide,
        kernel,
        stride,
        sideIn: side,
        side: after,
        isActivated: true,
      });
      side = after;
      const ends = adds ? "ends" : undefined;
      const endsStage = repeat === repeats - 1;
      const narrow = { ...pixels, inputs: wide, outputs, sideIn: side, side, isActivated: false };
      all.push({ ...narrow, residual: ends, endsStage });
    }
  }
  all.push({ ...pixels, inputs: headInputs, outputs: embeddingLength, sideIn: side, side });
  return all;
}

/** Of each output: its weights, padded to pairs, and two numbers in single precision. */
const bytesOf = ({ kind, inputs, outputs, kernel }: Layer) =>
  outputs * ((kind === "pixels" ? inputs : pairedTaps(kernel)) + 8);
const pairedTaps = (kernel: number) => kernel * kernel + (kernel % 2);

export const networkBytes = layersOf(inputSide).reduce((sum, layer) => sum + bytesOf(layer), 0);

const page = 65_536;
const pixelBytes = 2;

/** What a stage of the network gives: `channels` numbers for each cell of a square. The next run overwrites it. */
type SeeStage = (channels: number, numbers: Int16Array) => void;

/**
 * Runs the network on an image of `imageSide` × `imageSide` pixels of three bytes. `weights` are those of
 * `convert/efficientnet_lite0.py`. The next run overwrites nothing of a result. It has its own memory: 13 MB at 192 pixels,
 * 24 MB at 320.
 */
export function createNetwork(
  weights: Uint8Array,
  imageSide = inputSide,
): (rgb: Uint8Array, seeStage?: SeeStage) => Float32Array {
  const layers = layersOf(imageSide);
  const widest = Math.max(
    ...layers.map(({ side, sideIn, inputs, outputs, kernel }) =>
      Math.max(side ** 2 * outputs, (sideIn + kernel) ** 2 * inputs),
    ),
  );
  const bufferBytes = Math.ceil((widest * pixelBytes) / 64) * 64;
  const weightsAt = page;
  const offsetsAt = weightsAt + Math.ceil(networkBytes / 64) * 64;
  const buffersAt = offsetsAt + 256;
  const pages = Math.ceil((buffersAt + 4 * bufferBytes) / page);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { convolvePixels, convolveChannels, addNumbers } = instantiateKernels("images", memory, [
    "convolvePixels",
    "convolveChannels",
    "addNumbers",
  ]);
  new Uint8Array(memory.buffer).set(weights, weightsAt);
  const offsets = new Uint32Array(memory.buffer, offsetsAt, 26);
  const buffer = (at: number) => new Int16Array(memory.buffer, buffersAt + at * bufferBytes, bufferBytes / 2);
  const [first, second, kept, padded] = [buffer(0), buffer(1), buffer(2), buffer(3)];

  /** Copies the pixels between margins of zeros. */
  const pad = (from: Int16Array, { sideIn, side, kernel, stride, inputs }: Layer): number => {
    const margins = Math.max(0, (side - 1) * stride + kernel - sideIn);
    const before = margins >> 1;
    const width = sideIn + margins;
    padded.fill(0, 0, width * width * inputs);
    for (let row = 0; row < sideIn; row++) {
      const line = from.subarray(row * sideIn * inputs, (row + 1) * sideIn * inputs);
      padded.set(line, ((row + before) * width + before) * inputs);
    }
    for (let tap = 0; tap < pairedTaps(kernel); tap++) {
      // The last of an odd number of taps has a partner of weight zero, at any place.
      const place = tap < kernel * kernel ? tap : 0;
      offsets[tap] = (Math.floor(place / kernel) * width + (place % kernel)) * inputs * pixelBytes;
    }
    return width;
  };

  return (rgb, seeStage) => {
    writePatches(rgb, imageSide, first);
    let [from, to] = [first, second];
    let at = weightsAt;
    for (const layer of layers) {
      const { kind, inputs, outputs, side, stride, kernel, isActivated, residual } = layer;
      const { least, most } = isActivated ? activated : linear;
      const factors = at + bytesOf(layer) - outputs * 8;
      const tables = [at, factors, factors + outputs * 4];
      if (residual === "begins") kept.set(from.subarray(0, side * side * inputs));
      if (kind === "pixels") {
        const shape = [side * side, inputs, outputs];
        convolvePixels(from.byteOffset, ...tables, to.byteOffset, ...shape, least, most);
      } else {
        const width = pad(from, layer);
        const shape = [pairedTaps(kernel), outputs, width, side, stride];
        convolveChannels(padded.byteOffset, ...tables, to.byteOffset, offsetsAt, ...shape, least, most);
      }
      if (residual === "ends") addNumbers(to.byteOffset, kept.byteOffset, side * side * outputs);
      if (layer.endsStage) seeStage?.(outputs, to.subarray(0, side * side * outputs));
      at += bytesOf(layer);
      [from, to] = [to, from];
    }
    return meanOfPixels(from, layers.at(-1)?.side ?? 1);
  };
}

/** In the middle of a white square. */
export function onWhiteSquare({ width, height, rgb }: Raster, side: number): Uint8Array {
  const square = new Uint8Array(side * side * 3).fill(255);
  const [left, top] = [(side - width) >> 1, (side - height) >> 1];
  for (let row = 0; row < height; row++)
    square.set(rgb.subarray(row * width * 3, (row + 1) * width * 3), ((row + top) * side + left) * 3);
  return square;
}

/** For the first convolution: the three by three pixels around every second one, together. */
function writePatches(rgb: Uint8Array, side: number, to: Int16Array): void {
  const half = side / 2;
  let at = 0;
  for (let row = 0; row < half; row++) {
    for (let column = 0; column < half; column++) {
      for (let y = 2 * row; y < 2 * row + 3; y++) {
        for (let x = 2 * column; x < 2 * column + 3; x++) {
          const isInside = y < side && x < side;
          const pixel = (y * side + x) * 3;
          for (let colour = 0; colour < 3; colour++)
            to[at++] = isInside ? (rgb[pixel + colour] ?? 0) - middle : 0;
        }
      }
      to[at++] = 0;
    }
  }
}

function meanOfPixels(from: Int16Array, side: number): Float32Array {
  const sums = new Float32Array(embeddingLength);
  for (let at = 0; at < side * side * embeddingLength; at++) {
    const channel = at % embeddingLength;
    sums[channel] = (sums[channel] ?? 0) + (from[at] ?? 0);
  }
  return sums;
}
