import { createHash } from "node:crypto";

/** What the files of the network's weights, of the joined weights and of those of cells begin with. */
export const magics = { network: "PSLITE0\0", joined: "PSJOINED", cells: "PSCELLS\0" } as const;
export const headerBytes = 40;

export function writeHeader(kind: keyof typeof magics, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(magics[kind], "latin1"), createHash("sha256").update(body).digest()]);
}

/** What follows the header, and its SHA-256. Throws an error that names `source` if the bytes are something else or damaged. */
export function readChecked(
  bytes: Buffer,
  kind: keyof typeof magics,
  source: string,
): { digest: string; body: Buffer } {
  if (bytes.toString("latin1", 0, 8) !== magics[kind])
    throw refuseFile(source, `is not a file of ${kind} weights`);
  const body = bytes.subarray(headerBytes);
  const digest = createHash("sha256").update(body).digest();
  if (!digest.equals(bytes.subarray(8, headerBytes)))
    throw refuseFile(source, "is damaged or incomplete: its checksum does not match");
  return { digest: digest.toString("hex"), body };
}

export function refuseFile(source: string, fault: string): Error {
  return new Error(
    `${source} ${fault}. Restore it from the repository or write it anew (see MODEL_CARD.md).`,
  );
}
