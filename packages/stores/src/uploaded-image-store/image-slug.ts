import { createHmac } from "node:crypto";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";

/** 144 bits, as 24 characters. */
const slugBytes = 18;

/** So much is hashed before others have their turn: 2 to 4 ms. */
const pieceBytes = 1024 * 1024;

/** A keyed hash of an image's bytes. It can be computed with the deployment's key and cannot be guessed without it. */
export async function imageSlug(slugKey: Uint8Array, bytes: Uint8Array): Promise<string> {
  const hash = createHmac("sha256", slugKey);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await letOthersCome();
    hash.update(bytes.subarray(at, at + pieceBytes));
  }
  return `img_${hash.digest().subarray(0, slugBytes).toString("base64url")}`;
}
