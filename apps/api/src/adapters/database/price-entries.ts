import type { PriceEntry } from "../../domain/product.ts";

export interface PriceRow {
  id: number;
  price_minor: number;
  at: number;
}

export const leastTime = Number.MIN_SAFE_INTEGER;
export const greatestTime = Number.MAX_SAFE_INTEGER;

export function toPriceEntry(row: PriceRow): PriceEntry {
  return { id: row.id.toString(16).padStart(24, "0"), priceMinor: row.price_minor, atMs: row.at };
}

export function toPriceRowId(id: string): number {
  return Number.parseInt(id, 16);
}
