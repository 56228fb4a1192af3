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
  /** It was not tried. */
  | { became: "postponed"; afterMs: number }
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
  /**
   * Images that are due: the service's own first, then those that have waited longest. Those whose address starts with one of
   * `except` are left out.
   */
  due(model: string, limit: number, except?: readonly string[]): Promise<ProductImage[]>;
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

interface UploadedImage {
  slug: string;
  descriptor: Descriptor;
}

/** Descriptors of the images that clients sent. The images themselves are not stored. */
export interface UploadedImageStore {
  /** The same bytes give the same slug. It cannot be guessed without the bytes. */
  slugOf(bytes: Uint8Array): Promise<string>;
  /** Stores the images for their whole lifetime from now on. A descriptor replaces that of another model. */
  keep(images: readonly UploadedImage[]): Promise<void>;
  /** Renews the lifetime of an image; false if there is none of this model with the slug. */
  renew(slug: string, model: string): Promise<boolean>;
  /** Undefined if there was never one, or it has expired. */
  find(slug: string): Promise<Descriptor | undefined>;
  /** Purges at most `limit` expired images; returns how many. */
  removeExpired(limit: number): Promise<number>;
}

/** Images that the service itself serves below `/images`. */
export interface LocalImages {
  /** The JPEG at a path such as `/images/sample/12-1.jpg`; undefined if there is none. */
  read(address: string): Promise<Uint8Array | undefined>;
  /** The image's vector by this model, if it was computed beforehand. */
  vectorOf?(address: string, model: string): Promise<Float32Array | undefined>;
}

/** An image as a vector of length 1. Vectors of different models cannot be compared. */
export interface Descriptor {
  /** The identifier of the model that made it. */
  model: string;
  vector: Float32Array;
}

/** In whole pixels of the upright image. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface FoundObject {
  /** The probable name of the object, in English. */
  name: string;
  /** 0 to 1. */
  confidence: number;
  box: Box;
  /** The object cut out of the image, as a JPEG file. */
  crop: Uint8Array;
  /** Descriptor of the crop. */
  descriptor: Descriptor;
}

/**
 * Describes images and detects objects. Bytes that are not an image end in `invalid_image`, images too large to
 * decode in `payload_too_large`, and overload in `unavailable`.
 */
export interface VisionModel {
  /** The bytes may be transferred to another thread: do not use them afterwards. */
  describe(bytes: Uint8Array, signal: AbortSignal): Promise<Descriptor>;
  /** The objects that stand out, highest confidence first; empty if there are none. The bytes may be transferred. */
  detect(bytes: Uint8Array, signal: AbortSignal): Promise<FoundObject[]>;
}

export interface SimilarProduct {
  rowId: number;
  /** The dot product of its most similar image and the query: 1 for the same image. */
  similarity: number;
}

export interface VectorQuery {
  vector: Float32Array;
  limit: number;
  /** Products with a lower similarity are left out. */
  minSimilarity: number;
}

/** Finds products with similar images. */
export interface VectorSearch {
  /**
   * The model whose vectors are searched; undefined before there is an index. Queries must be vectors of this model.
   */
  model(): string | undefined;
  /** The typical similarity of two products of the catalog; 0 before there are any. Similarities are judged by it. */
  typicalSimilarity(): number;
  /** Best first, one entry per product; equal similarities by row id. */
  search(query: VectorQuery, signal?: AbortSignal): Promise<SimilarProduct[]>;
}
