import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One row of a manifest. */
export interface Photograph {
  readonly path: string;
  /** The subfolder: photographs of one source share camera, light and background. */
  readonly source: string;
  /** The same for all photographs of one product; empty if the manifest does not name one. */
  readonly product: string;
  readonly class: string;
  readonly view: string;
}

/** Reads every `<folder>/<set>/manifest.csv`, with the columns file, product, class and view. */
export function readPhotographs(folder: string): Photograph[] {
  const sets = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return sets
    .map(({ name }) => name)
    .sort()
    .flatMap((set) => {
      const rows = readFileSync(join(folder, set, "manifest.csv"), "utf8")
        .trim()
        .split(/\r?\n/)
        .slice(1);
      return rows.map((row) => {
        const [file = "", product = "", kind = "", view = ""] = row.split(",");
        return { path: join(folder, set, file), source: set, product, class: kind, view };
      });
    });
}
