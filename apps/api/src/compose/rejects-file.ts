import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rejected } from "@product-search/features/catalog/import/import-summary.ts";

/** With more rejects than this, the whole feed is broken, and more lines would not help. */
const maxLines = 100_000;

/** Writes refused rows, one JSON object per line. The file is created with the first one. */
export function createRejectsFile(where: string | { folder: string; source: string; atMs: number }) {
  let file: { path: string; descriptor: number } | undefined;
  let lines = 0;
  const open = () => {
    const path = typeof where === "string" ? where : defaultPath(where);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return { path, descriptor: openSync(path, "w", 0o600) };
  };
  return {
    add(rejected: Rejected): void {
      lines += 1;
      if (lines > maxLines) return;
      file ??= open();
      writeSync(file.descriptor, `${JSON.stringify(rejected)}\n`);
    },
    /** The path of the file, if any row was refused. */
    close(): string | undefined {
      if (file === undefined) return undefined;
      const { path, descriptor } = file;
      file = undefined;
      if (lines > maxLines) {
        writeSync(
          descriptor,
          `${JSON.stringify({ reason: `${lines - maxLines} more rows are invalid.` })}\n`,
        );
      }
      closeSync(descriptor);
      return path;
    },
  };
}

function defaultPath({ folder, source, atMs }: { folder: string; source: string; atMs: number }): string {
  const time = new Date(atMs).toISOString().replace(/\D/g, "").slice(0, 14);
  return join(folder, `rejects-${source}-${time}.jsonl`);
}
