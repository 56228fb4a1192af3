import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The pictures of the sample catalog, as the build has drawn them into one file. */
export interface SamplePictures {
  read(address: string): Uint8Array | undefined;
  /** The address of the picture with the same bytes. */
  addressOf(bytes: Uint8Array): string | undefined;
}

/** `pictures.json` says how many bytes each address has, in the order of `pictures.bin`. Both are read when first needed. */
export function openSamplePictures(folder: URL): SamplePictures {
  let pictures: Map<string, Uint8Array> | undefined;
  let addresses: Map<string, string> | undefined;
  const open = () => {
    pictures ??= readPictures(folder);
    return pictures;
  };
  return {
    read: (address) => open().get(address),
    addressOf(bytes) {
      addresses ??= new Map([...open()].map(([address, picture]) => [digestOf(picture), address]));
      return addresses.get(digestOf(bytes));
    },
  };
}

function readPictures(folder: URL): Map<string, Uint8Array> {
  const file = readFileSync(new URL("pictures.bin", folder));
  const lengths: Record<string, number> = JSON.parse(readFileSync(new URL("pictures.json", folder), "utf8"));
  let start = 0;
  return new Map(
    Object.entries(lengths).map(([address, length]) => {
      const picture = file.subarray(start, start + length);
      start += length;
      return [address, picture];
    }),
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64");
}
