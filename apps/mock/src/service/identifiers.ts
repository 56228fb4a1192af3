import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

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

/** The images of the sample catalog, as the build has drawn them into one file. */
export interface SampleImages {
  read(address: string): Uint8Array | undefined;
  /** The address of the image with the same bytes. */
  addressOf(bytes: Uint8Array): string | undefined;
}

/** `images.json` says how many bytes each address has, in the order of `images.bin`. Both are read when first needed. */
export function openSampleImages(folder: URL): SampleImages {
  let images: Map<string, Uint8Array> | undefined;
  let addresses: Map<string, string> | undefined;
  const open = () => {
    images ??= readImages(folder);
    return images;
  };
  return {
    read: (address) => open().get(address),
    addressOf(bytes) {
      addresses ??= new Map([...open()].map(([address, image]) => [digestOf(image), address]));
      return addresses.get(digestOf(bytes));
    },
  };
}

function readImages(folder: URL): Map<string, Uint8Array> {
  const file = readFileSync(new URL("images.bin", folder));
  const lengths: Record<string, number> = JSON.parse(readFileSync(new URL("images.json", folder), "utf8"));
  let start = 0;
  return new Map(
    Object.entries(lengths).map(([address, length]) => {
      const image = file.subarray(start, start + length);
      start += length;
      return [address, image];
    }),
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64");
}
