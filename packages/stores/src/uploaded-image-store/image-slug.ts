import { createHmac } from "node:crypto";

/** 144 bits, as 24 characters. */
const slugBytes = 18;

/** A keyed hash of an image's bytes. It can be computed with the deployment's key and cannot be guessed without it. */
export function imageSlug(slugKey: Uint8Array, bytes: Uint8Array): string {
  const digest = createHmac("sha256", slugKey).update(bytes).digest();
  return `img_${digest.subarray(0, slugBytes).toString("base64url")}`;
}
