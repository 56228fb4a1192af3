import type { Descriptor } from "./vision-model.ts";

/** An image of products, identified by its URL. */
export interface ProductImage {
  id: number;
  /** Absolute, or a path below the service's own URL. */
  address: string;
  /** The version that the model described last, as reported by the image's host. */
  etag?: string;
  /** Consecutive failures. */
  attempts: number;
}

export type ImageOutcome = { id: number } & (
  | { became: "described"; descriptor: Descriptor; etag?: string }
  /** The image has not changed since it was described. */
  | { became: "unchanged" }
  | { became: "retry"; afterMs: number; fault: string }
  /** The image is gone or cannot be used: products lose it until they change. */
  | { became: "lost"; fault: string }
  /** The same after `maxFailures` failures of this service: the image is a dead letter. */
  | { became: "dead"; fault: string }
);

export interface ShownImages {
  rowId: number;
  addresses: readonly string[];
}

export interface ProductVectors {
  rowId: number;
  vectors: Float32Array[];
}

export interface ImageProgress {
  described: number;
  /** New, or waiting for a retry. */
  waiting: number;
  /** Of the waiting images, the new ones. */
  untried: number;
  lost: number;
}

/** A change of a product's vectors. Several changes of one product may be combined into the last one. */
export interface VectorChange {
  sequence: number;
  rowId: number;
}

/** The images of products and their vectors: the source of truth for the vector index. */
export interface ProductImageStore {
  /** The sequence of the catalog up to which images were recorded. */
  notedSequence(): Promise<number>;
  /**
   * Records the current images of the products and the sequence of the catalog, in one transaction. A product that
   * cannot be recorded is skipped, and is a dead letter.
   */
  note(products: readonly ShownImages[], catalogSequence: number): Promise<void>;

  /** Makes images without a vector of the model due, starting at an identifier; undefined when all were checked. */
  requeueWithout(model: string, afterId: number, limit: number): Promise<number | undefined>;
  /** Images that are due: the service's own first, then those that have waited longest. */
  due(model: string, limit: number): Promise<ProductImage[]>;
  /**
   * Records the outcomes and the changes of the products, in one transaction. If an outcome cannot be recorded, the
   * image is tried again, and after `maxFailures` failures it is a dead letter.
   */
  record(outcomes: readonly ImageOutcome[]): Promise<void>;
  progress(): Promise<ImageProgress>;

  /** The sequence of the newest change of vectors, 0 if there was none. */
  lastSequence(): Promise<number>;
  changesAfter(sequence: number, limit: number): Promise<VectorChange[]>;
  /**
   * All vectors of each product, in the order of `rowIds`; empty lists for products without any. A damaged vector has a
   * different length: see `discardVectors`.
   */
  vectorsOf(rowIds: readonly number[], model: string): Promise<ProductVectors[]>;
  /** Products with vectors of the model in the order of their row ids, to build an index from scratch. */
  scan(model: string, afterRowId: number, limit: number): Promise<ProductVectors[]>;
  /** Makes a dead letter of each image of the product whose vector of the model has another length. */
  discardVectors(rowId: number, model: string, dimensions: number): Promise<void>;

  /** Whether every image of a product was tried with this model, however many are tried again later. */
  isDescribedBy(model: string): Promise<boolean>;
  /** Says which models this node searches or describes images with. Call it before their first vector is recorded. */
  useModels(models: readonly string[]): Promise<void>;
  /** The models that nodes have used within the last day; none where there is only one node. */
  usedModels(): Promise<string[]>;
  /** The models of the vectors in this store. */
  storedModels(): Promise<string[]>;
  /** Deletes at most `limit` vectors of the model; returns how many. */
  removeVectors(model: string, limit: number): Promise<number>;
}
