import type { Descriptor } from "./vision-model.ts";

export interface UploadedImage {
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
