import type { Descriptor } from "./vision-model.ts";

export interface UploadedImage {
  slug: string;
  descriptor: Descriptor;
}

/** Descriptors of the images that clients sent; the images themselves are not kept. */
export interface UploadedImageStore {
  /** The same bytes give the same slug; who does not have the bytes cannot guess it. */
  slugOf(bytes: Uint8Array): string;
  /** Keeps the images from now on for their whole lifetime again; a descriptor replaces that of another model. */
  keep(images: readonly UploadedImage[]): Promise<void>;
  /** Lengthens the life of an image; false when none of this model is alive under the slug. */
  renew(slug: string, model: string): Promise<boolean>;
  /** Undefined when there never was one, or its time is over. */
  find(slug: string): Promise<Descriptor | undefined>;
  /** Forgets at most `limit` images whose time is over; returns how many. */
  removeExpired(limit: number): Promise<number>;
}
