import data from "./parallel-catalog.json" with { type: "json" };

export interface ParallelQuery {
  readonly german: string;
  readonly english: string;
  /** The gain of each relevant product. */
  readonly gains: ReadonlyMap<number, number>;
}

/** The same products in German and English; queries have the numbers of good and, after `;`, of less good products. */
const rows = (lines: readonly string[]) => lines.map((line) => line.split("|").map((cell) => cell.trim()));

const numbers = (text: string) => text.trim().split(/\s+/).filter(Boolean).map(Number);

export const parallelProducts = rows(data.catalog).map(([id = "", german = "", english = ""]) => ({
  id: Number(id),
  german,
  english,
}));

export const parallelQueries = rows(data.queries).map(
  ([german = "", english = "", relevant = ""]): ParallelQuery => {
    const [best = "", good = ""] = relevant.split(";");
    const gains = [
      ...numbers(best).map((id) => [id, 2] as const),
      ...numbers(good).map((id) => [id, 1] as const),
    ];
    return { german, english, gains: new Map(gains) };
  },
);
