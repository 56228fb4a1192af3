import type { Descriptor } from "./vision-model.ts";

/** An image that products show, known by its address. */
export interface ProductImage {
  id: number;
  /** Absolute, or a path below our own address. */
  address: string;
  /** What the image's host called the version that was described last, by the model asked for. */
  etag?: string;
  /** Failures in a row. */
  attempts: number;
}

export type ImageOutcome = { id: number } & (
  | { became: "described"; descriptor: Descriptor; etag?: string }
  /** The version described before is still the present one. */
  | { became: "unchanged" }
  | { became: "retry"; afterMs: number; fault: string }
  /** It is no longer there, or cannot be used: products lose it until they change. */
  | { became: "lost"; fault: string }
  /** The same, but for a fault of ours after `mostFailures` attempts: it is a dead letter. */
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
  /** Not tried yet, or to be tried again. */
  waiting: number;
  /** Of those waiting: not tried yet. */
  untried: number;
  lost: number;
}

/** A change of a product's vectors; several changes of one product may be folded into the last. */
export interface VectorChange {
  sequence: number;
  rowId: number;
}

/** The images that products show and their vectors: the truth from which the vector index is derived. */
export interface ProductImageStore {
  /** The number of the catalog's change up to which products were noted. */
  notedSequence(): Promise<number>;
  /**
   * Notes what the products show from now on, and up to which change of the catalog, in one transaction. A product that
   * cannot be noted is passed over, and is a dead letter.
   */
  note(products: readonly ShownImages[], catalogSequence: number): Promise<void>;

  /** Makes images wait that have no vector of the model, from an identifier on; undefined when all were seen. */
  requeueWithout(model: string, afterId: number, limit: number): Promise<number | undefined>;
  /** Images whose time has come, those below our own address first, then those that wait longest. */
  due(model: string, limit: number): Promise<ProductImage[]>;
  /**
   * Records the outcomes in one transaction; products that show the images change with them. An image whose outcome
   * cannot be recorded is tried again, and after `mostFailures` times it is a dead letter.
   */
  record(outcomes: readonly ImageOutcome[]): Promise<void>;
  progress(): Promise<ImageProgress>;

  /** The number of the newest change of vectors, 0 when there was none. */
  lastSequence(): Promise<number>;
  changesAfter(sequence: number, limit: number): Promise<VectorChange[]>;
  /**
   * All vectors of each product, in the order of `rowIds`; empty lists for products without any. A damaged vector has
   * another length than the others: see `discardVectors`.
   */
  vectorsOf(rowIds: readonly number[], model: string): Promise<ProductVectors[]>;
  /** Products with vectors of the model in the order of their row ids, for building an index from nothing. */
  scan(model: string, afterRowId: number, limit: number): Promise<ProductVectors[]>;
  /** Makes dead letters of those of the product's images whose vector of the model has another length. */
  discardVectors(rowId: number, model: string, dimensions: number): Promise<void>;
  /** Forgets at most `limit` vectors of other models than these; returns how many. */
  removeVectorsExcept(models: readonly string[], limit: number): Promise<number>;
}
