import type { Descriptor } from "./vision-model.ts";

/** A picture that products show, known by its address. */
export interface Picture {
  id: number;
  /** Absolute, or a path below our own address. */
  address: string;
  /** What the picture's host called the version that was described last, by the model asked for. */
  etag?: string;
  /** Failures in a row. */
  attempts: number;
}

export type PictureOutcome = { id: number } & (
  | { became: "described"; descriptor: Descriptor; etag?: string }
  /** The version described before is still the present one. */
  | { became: "unchanged" }
  | { became: "retry"; afterMs: number; fault: string }
  /** It is no longer there, or cannot be used: products lose it until they change. */
  | { became: "lost"; fault: string }
  /** The same, but for a fault of ours after `mostFailures` attempts: it is a dead letter. */
  | { became: "dead"; fault: string }
);

export interface ShownPictures {
  rowId: number;
  addresses: readonly string[];
}

export interface ProductVectors {
  rowId: number;
  vectors: Float32Array[];
}

export interface PictureProgress {
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

/** The pictures that products show and their vectors: the truth from which the vector index is derived. */
export interface PictureStore {
  /** The number of the catalog's change up to which products were noted. */
  notedSequence(): Promise<number>;
  /**
   * Notes what the products show from now on, and up to which change of the catalog, in one transaction. A product that
   * cannot be noted is passed over, and is a dead letter.
   */
  note(products: readonly ShownPictures[], catalogSequence: number): Promise<void>;

  /** Makes pictures wait that have no vector of the model, from an identifier on; undefined when all were seen. */
  requeueWithout(model: string, afterId: number, limit: number): Promise<number | undefined>;
  /** Pictures whose time has come, those below our own address first, then those that wait longest. */
  due(model: string, limit: number): Promise<Picture[]>;
  /**
   * Records the outcomes in one transaction; products that show the pictures change with them. A picture whose outcome
   * cannot be recorded is tried again, and after `mostFailures` times it is a dead letter.
   */
  record(outcomes: readonly PictureOutcome[]): Promise<void>;
  progress(): Promise<PictureProgress>;

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
  /** Makes dead letters of those of the product's pictures whose vector of the model has another length. */
  discardVectors(rowId: number, model: string, dimensions: number): Promise<void>;
  /** Forgets at most `limit` vectors of other models than these; returns how many. */
  removeVectorsExcept(models: readonly string[], limit: number): Promise<number>;
}
