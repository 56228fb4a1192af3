import { createHash, randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const length = 16;
const keyBytes = 24;

/** Makes whatever must be random in the service: from the seed, the same in the same order. */
export interface Identifiers {
  newId(prefix: string): string;
  newSigningKey(): string;
}

/** `count` numbers the draws of a seed: a state that is kept goes on counting where it stopped. */
export function createIdentifiers(seed: number | undefined, count: () => number): Identifiers {
  const draw = (purpose: string, bytes: number): Buffer =>
    seed === undefined
      ? randomBytes(bytes)
      : createHash("sha512").update(`${seed} ${purpose} ${count()}`).digest().subarray(0, bytes);
  return {
    // Some characters are a little likelier than others, which matters to nobody who tests.
    newId: (prefix) =>
      prefix + [...draw(prefix, length)].map((byte) => alphabet[byte % alphabet.length]).join(""),
    newSigningKey: () => `whsec_${draw("key", keyBytes).toString("base64")}`,
  };
}

/** The account of a bearer token: every token has one of its own. */
export function accountOf(token: string): { id: string; name: string } {
  const digest = createHash("sha256").update(token).digest("hex");
  return { id: `ac_${digest.slice(0, length)}`, name: "mock" };
}
