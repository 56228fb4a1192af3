import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

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
