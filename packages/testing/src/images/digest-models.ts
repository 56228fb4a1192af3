import { createHash } from "node:crypto";
import type { Descriptor } from "@product-search/core/ports/vision-model.ts";

export interface DigestModel {
  model: string;
  dimensions: number;
  encoder?: string;
}

/** A model that gives different vectors for different bytes, and nothing else. */
export function describeWith({ model, dimensions }: DigestModel, bytes: Uint8Array): Descriptor {
  const digest = createHash("sha256").update(model).update(bytes).digest();
  const values = Float32Array.from({ length: dimensions }, (_, at) => (digest[at % 32] ?? 0) - 127.5);
  const length = Math.hypot(...values);
  return { model, vector: values.map((value) => value / length) };
}
