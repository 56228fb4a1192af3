import { randomBytes } from "node:crypto";

const keyBytes = 24;

export type NewSigningKey = () => string;

/** A signing secret as the Standard Webhooks specification writes it. */
export function createSigningKey(): string {
  return `whsec_${randomBytes(keyBytes).toString("base64")}`;
}
