import { randomBytes } from "node:crypto";

const keyBytes = 24;

/** A signing key in the format of the Standard Webhooks specification. */
export function createSigningKey(): string {
  return `whsec_${randomBytes(keyBytes).toString("base64")}`;
}
