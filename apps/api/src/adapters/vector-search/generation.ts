import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import {
  deltaBytes,
  imagesPerKey,
  openDelta,
  openRemoved,
  type VectorFile,
  type VectorSegments,
} from "./vector-file.ts";

export interface IndexedModel {
  model: string;
  dimensions: number;
  /** The file of its learned encoder, to load it again later. */
  encoder?: string | undefined;
}

export interface GenerationSettings {
  store: Pick<ProductImageStore, "lastSequence" | "changesAfter" | "vectorsOf" | "discardVectors">;
  /** Where the base file is kept between starts. Nothing else may be in this folder. */
  folder: string;
  /** How many vectors the delta can hold before they are written to a file. */
  deltaCapacity?: number;
}

/** One base file and the changes after it. */
export interface Generation {
  readonly segments: VectorSegments;
  readonly file: VectorFile | undefined;
  /** Applies all changes of the store, as far as there is room. */
  catchUp(): Promise<void>;
  sequence(): number;
  /** Vectors in the delta. */
  rows(): number;
  /** Then a file is written; changes during the build use the other half. */
  isHalfFull(): boolean;
}

const changeBatchSize = 200;

export function openGeneration(
  { store, folder, deltaCapacity = 4096 }: GenerationSettings,
  { model, dimensions }: IndexedModel,
  file: VectorFile | undefined,
  typicalSimilarity: number,
): Generation {
  const segments: VectorSegments = {
    model,
    dimensions,
    base: file && { path: join(folder, file.file), vectors: file.vectors },
    delta: new SharedArrayBuffer(deltaBytes(dimensions, deltaCapacity)),
    removed: new SharedArrayBuffer(((file?.maxRowId ?? 0) >>> 3) + 1),
    typicalSimilarity,
  };
  const delta = openDelta(segments.delta, dimensions);
  const removed = openRemoved(segments.removed);
  const rowsOf = new Map<number, number[]>();
  delta.reach(file?.sequence ?? 0);

  /** Adds the new rows before it removes the former ones, so that a product is never missing. */
  function replace(rowId: number, vectors: readonly Float32Array[]): void {
    const former = rowsOf.get(rowId) ?? [];
    rowsOf.set(
      rowId,
      vectors.slice(0, imagesPerKey).map((vector) => delta.append(rowId, vector)),
    );
    removed.add(rowId);
    for (const row of former) delta.void(row);
  }

  async function applyNext(): Promise<boolean> {
    const room = Math.floor((delta.capacity - delta.rows()) / imagesPerKey);
    const changes = await store.changesAfter(delta.sequence(), Math.min(changeBatchSize, room));
    const last = changes.at(-1);
    if (last === undefined) return false;
    const rowIds = changes.map(({ rowId }) => rowId);
    for (const { rowId, vectors } of await store.vectorsOf(rowIds, model)) {
      const usable = vectors.filter(({ length }) => length === dimensions);
      if (usable.length < vectors.length) await store.discardVectors(rowId, model, dimensions);
      replace(rowId, usable);
    }
    delta.reach(last.sequence);
    return true;
  }

  return {
    segments,
    file,
    async catchUp() {
      while (await applyNext());
    },
    sequence: delta.sequence,
    rows: delta.rows,
    isHalfFull: () => delta.rows() >= delta.capacity / 2,
  };
}

/** The model whose vectors were searched last, and the file of its learned encoder, to load it again after a change. */
export interface SearchedModel {
  model: string;
  encoder?: string | undefined;
}

const fileOf = (folder: string) => join(folder, "searched-model.json");

/** Undefined if this node has not searched any yet. */
export function readSearchedModel(folder: string): SearchedModel | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(folder), "utf8"));
    return isSearchedModel(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function writeSearchedModel(folder: string, { model, encoder }: SearchedModel): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${fileOf(folder)}.draft`;
  writeFileSync(draft, JSON.stringify({ model, encoder }));
  renameSync(draft, fileOf(folder));
}

function isSearchedModel(kept: unknown): kept is SearchedModel {
  if (typeof kept !== "object" || kept === null || !("model" in kept)) return false;
  const encoder = "encoder" in kept ? kept.encoder : undefined;
  return typeof kept.model === "string" && (encoder === undefined || typeof encoder === "string");
}
