import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { instantiateKernels } from "@product-search/kernels";
import { findText, openSections, type SectionFile } from "../words.ts";

/** More pieces of a text are not read. */
const maxPieces = 32;
/** The longest piece, with the signs that mark the inside of a word. */
const longestPiece = 18;
/** What follows would be beyond the last piece in any usual text. */
const maxLetters = 1000;

/** Words are letters and digits of ASCII; any other sign stands alone. */
const wordOrSign = /[a-z0-9]+|[^\sa-z0-9]/gu;

/** Texts as directions: those of a like meaning are close. */
export interface Encoder {
  /** Of length 1. */
  encode(text: string): Float32Array;
}

/** The weights and the working memory of every thread. Empty until the first use. */
export type EncoderMemory = WebAssembly.Memory<SharedArrayBuffer>;

export const dimensions = 384;
const heads = 12;
const wide = 1536;
/** Activations have 13 bits: with weights of 8, the sum of 1,536 products needs 31. */
const mostActivation = 8191;

const page = 65_536;
/** The first page holds the state alone, then the weights follow. */
const weightsStart = page;
const state = { empty: 0, loading: 1, loaded: 2 } as const;
/** Bytes for one thread: activations and their scales, then the largest output. */
const workingBytes = maxPieces * (2 * wide + 4 + 4 * wide);
const workingPages = Math.ceil(workingBytes / page);
/** More threads than a service has, also if some are replaced. */
const maxThreads = 256;

function shippedWeights(): string {
  return createRequire(import.meta.url).resolve("@product-search/word-meaning/encoder.bin");
}

/** Memory for the weights, which the first `openEncoder` of any thread loads. */
export function reserveEncoder(): EncoderMemory {
  const pages = Math.ceil((weightsStart + statSync(shippedWeights()).size) / page);
  return new WebAssembly.Memory({
    initial: pages,
    maximum: pages + maxThreads * workingPages,
    shared: true,
  });
}

/** The name of the weights: other weights give other vectors. They are not loaded for it. */
export function identifyEncoder(): string {
  const beginning = Buffer.alloc(64);
  const file = openSync(shippedWeights(), "r");
  try {
    readSync(file, beginning, 0, beginning.length, 0);
  } finally {
    closeSync(file);
  }
  const [, id] = /"id": "([0-9a-f]+)"/.exec(beginning.toString("latin1")) ?? [];
  if (id === undefined) throw new Error("encoder.bin has another format. Restore it from the repository.");
  return id;
}

/** For one thread. Takes some milliseconds; a thread that loads the weights makes others wait. */
export function openEncoder(memory: EncoderMemory): Encoder {
  loadOnce(memory);
  const working = memory.grow(workingPages) * page;
  const file = openSections(memory.buffer, {
    magic: "ENCODE01",
    offset: weightsStart,
    remedy: "Restore encoder.bin from the repository.",
  });
  return createEncoder(memory, file, working);
}

function loadOnce(memory: EncoderMemory): void {
  const states = new Int32Array(memory.buffer, 0, 1);
  while (Atomics.load(states, 0) !== state.loaded) {
    if (Atomics.compareExchange(states, 0, state.empty, state.loading) !== state.empty) {
      Atomics.wait(states, 0, state.loading);
      continue;
    }
    let reached: number = state.empty;
    try {
      load(memory);
      reached = state.loaded;
    } finally {
      Atomics.store(states, 0, reached);
      Atomics.notify(states, 0);
    }
  }
}

/** Straight into the shared memory: there is no second copy. */
function load(memory: EncoderMemory): void {
  const file = openSync(shippedWeights(), "r");
  try {
    const { size } = fstatSync(file);
    let read = 0;
    while (read < size) {
      const bytes = readSync(
        file,
        new Uint8Array(memory.buffer, weightsStart + read, size - read),
        0,
        size - read,
        read,
      );
      if (bytes === 0) throw new Error("encoder.bin cannot be read to its end.");
      read += bytes;
    }
  } finally {
    closeSync(file);
  }
}

interface Layer {
  readonly rows: Int8Array;
  readonly scales: Float32Array;
  readonly biases: Float32Array;
}

function createEncoder(memory: EncoderMemory, file: SectionFile, working: number): Encoder {
  const { multiplyTokens } = instantiateKernels("texts", memory, ["multiplyTokens"]);
  const split = openWordPieces(file);
  const gelu = createGelu();
  const layerOf = (name: string): Layer => ({
    rows: file.read(Int8Array, `${name}.rows`),
    scales: file.read(Float32Array, `${name}.scales`),
    biases: file.read(Float32Array, `${name}.biases`),
  });
  const normOf = (name: string) => ({
    factors: file.read(Float32Array, `${name}.factors`),
    biases: file.read(Float32Array, `${name}.biases`),
  });
  const tableOf = (name: string) => ({
    rows: file.read(Int8Array, `${name}.rows`),
    scales: file.read(Float32Array, `${name}.scales`),
  });
  const embeddings = tableOf("embeddings");
  const places = tableOf("places");
  const embeddingsNorm = normOf("embeddings.norm");
  const blocks = [0, 1, 2].map((n) => ({
    attention: layerOf(`${n}.attention`),
    attended: layerOf(`${n}.attended`),
    attendedNorm: normOf(`${n}.attended.norm`),
    wide: layerOf(`${n}.wide`),
    narrow: layerOf(`${n}.narrow`),
    narrowNorm: normOf(`${n}.narrow.norm`),
  }));
  const ends = { first: layerOf("first"), mean: layerOf("mean") };

  const activations = new Int16Array(memory.buffer, working, maxPieces * wide);
  const scales = new Float32Array(memory.buffer, working + activations.byteLength, maxPieces);
  const output = new Float32Array(memory.buffer, scales.byteOffset + scales.byteLength, maxPieces * wide);
  const tokens = new Float32Array(maxPieces * dimensions);
  const attended = new Float32Array(maxPieces * dimensions);

  /** Leaves the result of a layer in `output`. */
  const apply = (layer: Layer, from: Float32Array, rows: number): void => {
    const columns = layer.scales.length;
    const inner = layer.rows.length / columns;
    roundRows(from, activations, scales, { rows, length: inner, most: mostActivation });
    multiplyTokens(
      activations.byteOffset,
      scales.byteOffset,
      layer.rows.byteOffset,
      layer.scales.byteOffset,
      layer.biases.byteOffset,
      output.byteOffset,
      Math.ceil(rows / 4) * 4,
      columns,
      inner,
    );
  };
  const addOutput = (count: number): void => {
    for (let i = 0; i < count * dimensions; i++) tokens[i] = (tokens[i] ?? 0) + (output[i] ?? 0);
  };
  const embed = (pieces: readonly number[]): void => {
    pieces.forEach((piece, place) => {
      const [ofPiece, ofPlace] = [embeddings.scales[piece] ?? 0, places.scales[place] ?? 0];
      for (let i = 0; i < dimensions; i++)
        tokens[place * dimensions + i] =
          (embeddings.rows[piece * dimensions + i] ?? 0) * ofPiece +
          (places.rows[place * dimensions + i] ?? 0) * ofPlace;
    });
  };

  return {
    encode(text) {
      const pieces = split(text);
      const count = pieces.length;
      embed(pieces);
      normalizeRows(tokens, count, embeddingsNorm);
      for (const block of blocks) {
        apply(block.attention, tokens, count);
        attend(output, attended, count, dimensions, heads);
        apply(block.attended, attended, count);
        addOutput(count);
        normalizeRows(tokens, count, block.attendedNorm);
        apply(block.wide, tokens, count);
        gelu(output, count * wide);
        apply(block.narrow, output, count);
        addOutput(count);
        normalizeRows(tokens, count, block.narrowNorm);
      }
      apply(ends.first, tokens, 1);
      const vector = output.slice(0, dimensions);
      apply(ends.mean, meanOf(tokens, count), 1);
      return toLengthOne(vector.map((value, i) => value + (output[i] ?? 0)));
    },
  };
}

function meanOf(tokens: Float32Array, count: number): Float32Array {
  const mean = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) {
    let sum = 0;
    for (let token = 0; token < count; token++) sum += tokens[token * dimensions + i] ?? 0;
    mean[i] = sum / count;
  }
  return mean;
}

function toLengthOne(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** The number of each piece of a text, between those for its beginning and its end. */
type SplitText = (text: string) => number[];

function openWordPieces(file: SectionFile): SplitText {
  const starts = file.read(Uint32Array, "pieceStarts");
  const bytes = file.read(Uint8Array, "pieces");
  const pieceOf = (text: string) => findText(starts, bytes, text);
  const [first, last, unknown] = ["[CLS]", "[SEP]", "[UNK]"].map(pieceOf) as [number, number, number];

  /** The longest pieces from the left; undefined if a part of the word is no piece. */
  const piecesOf = (word: string): number[] | undefined => {
    const pieces: number[] = [];
    for (let at = 0; at < word.length; ) {
      const prefix = at > 0 ? "##" : "";
      let end = Math.min(word.length, at + longestPiece - prefix.length);
      let piece = pieceOf(prefix + word.slice(at, end));
      while (piece < 0 && end > at + 1) piece = pieceOf(prefix + word.slice(at, --end));
      if (piece < 0) return undefined;
      pieces.push(piece);
      at = end;
    }
    return pieces;
  };

  return (text) => {
    const folded = text
      .slice(0, maxLetters)
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    const pieces = [first];
    for (const [word] of folded.matchAll(wordOrSign)) {
      pieces.push(...(piecesOf(word) ?? [unknown]));
      if (pieces.length >= maxPieces - 1) break;
    }
    return [...pieces.slice(0, maxPieces - 1), last];
  };
}

/**
 * Functions made of additions, multiplications, divisions and square roots alone: IEEE 754 gives each of these one
 * result, while `Math.exp` may differ between builds.
 */

/** e to the power of `x` ≤ 0: a Taylor series near 0, then squared ten times. */
export function exponential(x: number): number {
  if (x < -700) return 0;
  const near = x / 1024;
  let term = 1;
  let sum = 1;
  for (let n = 1; n <= 12; n++) {
    term *= near / n;
    sum += term;
  }
  for (let n = 0; n < 10; n++) sum *= sum;
  return sum;
}

/** Abramowitz and Stegun 7.1.26: error under 1.5e-7. */
function errorFunction(x: number): number {
  const size = Math.abs(x);
  const t = 1 / (1 + 0.3275911 * size);
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * exponential(-size * size));
}

/** Beyond this the function is 0 or its argument. */
const widest = 8;
const stepsPerUnit = 512;

/** GELU, x · Φ(x), changes numbers in place: read from a table, as the function itself takes longer than all else. */
function createGelu(): (numbers: Float32Array, length: number) => void {
  const table = new Float64Array(2 * widest * stepsPerUnit + 2);
  for (let i = 0; i < table.length; i++) {
    const x = i / stepsPerUnit - widest;
    table[i] = 0.5 * x * (1 + errorFunction(x / Math.SQRT2));
  }
  return (numbers, length) => {
    for (let i = 0; i < length; i++) {
      const x = numbers[i] ?? 0;
      if (x >= widest) continue;
      if (x <= -widest) {
        numbers[i] = 0;
        continue;
      }
      const place = (x + widest) * stepsPerUnit;
      const at = Math.floor(place);
      const below = table[at] ?? 0;
      numbers[i] = below + (place - at) * ((table[at + 1] ?? 0) - below);
    }
  };
}

/** Gives each of the first `rows` rows mean 0 and deviation 1, then the factors and biases of its columns. */
function normalizeRows(
  numbers: Float32Array,
  rows: number,
  { factors, biases }: { readonly factors: Float32Array; readonly biases: Float32Array },
): void {
  const length = factors.length;
  for (let row = 0, start = 0; row < rows; row++, start += length) {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += numbers[start + i] ?? 0;
    const mean = sum / length;
    let squares = 0;
    for (let i = 0; i < length; i++) {
      const difference = (numbers[start + i] ?? 0) - mean;
      squares += difference * difference;
    }
    const scale = 1 / Math.sqrt(squares / length + 1e-12);
    for (let i = 0; i < length; i++)
      numbers[start + i] = ((numbers[start + i] ?? 0) - mean) * scale * (factors[i] ?? 0) + (biases[i] ?? 0);
  }
}

/** What each of `heads` parts of each token gets from all tokens. A row of `from` has queries, keys, then values. */
function attend(from: Float32Array, to: Float32Array, tokens: number, width: number, heads: number): void {
  const stride = 3 * width;
  const part = width / heads;
  const scale = 1 / Math.sqrt(part);
  const shares = new Float64Array(tokens);
  for (let head = 0; head < heads; head++) {
    const offset = head * part;
    for (let token = 0; token < tokens; token++) {
      const query = token * stride + offset;
      let most = Number.NEGATIVE_INFINITY;
      for (let other = 0; other < tokens; other++) {
        const key = other * stride + width + offset;
        let sum = 0;
        for (let i = 0; i < part; i++) sum += (from[query + i] ?? 0) * (from[key + i] ?? 0);
        const share = sum * scale;
        shares[other] = share;
        if (share > most) most = share;
      }
      let total = 0;
      for (let other = 0; other < tokens; other++) {
        const share = exponential((shares[other] ?? 0) - most);
        shares[other] = share;
        total += share;
      }
      const out = token * width + offset;
      for (let i = 0; i < part; i++) {
        let sum = 0;
        for (let other = 0, value = 2 * width + offset + i; other < tokens; other++, value += stride)
          sum += (shares[other] ?? 0) * (from[value] ?? 0);
        to[out + i] = sum / total;
      }
    }
  }
}

/** Rounds each row to whole numbers of at most ±`most`, and notes by what to multiply them. */
function roundRows(
  from: Float32Array,
  to: Int16Array,
  scales: Float32Array,
  { rows, length, most }: { rows: number; length: number; most: number },
): void {
  for (let row = 0, start = 0; row < rows; row++, start += length) {
    let greatest = 1e-8;
    for (let i = start; i < start + length; i++) {
      const size = Math.abs(from[i] ?? 0);
      if (size > greatest) greatest = size;
    }
    scales[row] = greatest / most;
    const factor = most / greatest;
    for (let i = start; i < start + length; i++) to[i] = Math.round((from[i] ?? 0) * factor);
  }
}
