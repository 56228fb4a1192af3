import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@product-search/testing/seed.ts";
import { fieldsOf, type Ledger, listOf, noteImport } from "../figures.ts";
import { commandLine } from "../parts/service-part.ts";
import type { Reply } from "./cluster-client.ts";

export interface ImporterSettings {
  ledger: Ledger;
  folder: string;
  environment: Record<string, string>;
  random: Random;
}

export interface Importer {
  /** Imports these products, each with a new price. Whether the import was acknowledged. */
  importProducts(numbers: readonly number[]): Promise<boolean>;
  /** Some of the products with new prices, and a new product. */
  nextBatch(): number[];
  /** The last price that was written. */
  priceOf(number: number): number;
  counts: { acknowledged: number; failed: number };
}

const changesPerImport = 8;
const defaultTimeoutMs = 60_000;
/** Each import is a process that takes more than a second of processor time. */
const pauseMs = 2_000;

export function createImporter({ ledger, folder, environment, random }: ImporterSettings): Importer {
  const counts = { acknowledged: 0, failed: 0 };
  return {
    counts,
    priceOf: (number) => ledger.products.get(keyOf(number))?.at(-1)?.price ?? 0,
    nextBatch() {
      const known = ledger.products.size;
      const changed = Array.from({ length: changesPerImport }, () => random.integer(0, known - 1));
      return [...new Set([...changed, known])];
    },
    async importProducts(numbers) {
      const priced = numbers.map((number) => [number, nextPrice(ledger, number)] as const);
      const file = join(folder, "feed.jsonl");
      writeFileSync(file, priced.map(([number, price]) => `${feedLine(number, price)}\n`).join(""));
      const acknowledge = noteImport(
        ledger,
        new Map(priced.map(([number, price]) => [keyOf(number), price])),
      );
      const summary = await runCommand(["import", file, "--source", "catalog", "--json"], environment);
      const { created, updated } = fieldsOf(summary);
      // Acknowledged is what the summary counts as stored.
      const isAcknowledged = Number(created) + Number(updated) === numbers.length;
      if (isAcknowledged) acknowledge(Date.now());
      counts[isAcknowledged ? "acknowledged" : "failed"] += 1;
      rmSync(file, { force: true });
      return isAcknowledged;
    },
  };
}

function nextPrice({ products }: Ledger, number: number): number {
  return (1000 + (products.get(keyOf(number))?.length ?? 0)) / 100;
}

export async function createSearchToken(environment: Record<string, string>): Promise<string> {
  const args = ["token", "create", "--account", "rehearsal", "--scopes", "search,webhooks", "--json"];
  const { token } = fieldsOf(await runCommand(args, environment));
  if (typeof token !== "string") throw new Error("No token could be created.");
  return token;
}

/** The JSON that a command prints; undefined if it fails. */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  timeoutMs = defaultTimeoutMs,
): Promise<unknown> {
  const child = spawn(process.execPath, [commandLine, ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  const kill = () => child.kill("SIGKILL");
  const killed = setTimeout(kill, timeoutMs);
  process.once("exit", kill);
  let printed = "";
  child.stdout.on("data", (bytes: Buffer) => {
    printed += bytes.toString();
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(killed);
  process.off("exit", kill);
  try {
    return code === 0 ? JSON.parse(printed) : undefined;
  } catch {
    return undefined;
  }
}

/** Imports until the signal aborts. */
export async function importUntil(
  importer: Importer,
  around: (numbers: readonly number[], importing: Promise<boolean>) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const numbers = importer.nextBatch();
    await around(numbers, importer.importProducts(numbers));
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

const groups = ["kettle", "lantern", "drum", "bracket", "pillow"] as const;
export const groupWords: readonly string[] = groups;

/** Letters only, and none that a stemmer could take for an ending. */
const letters = "bcdfghjklmnpqrtvwxz";

export function keyOf(number: number): string {
  return `r${number}`;
}

/** A word that only this product has. */
export function wordOf(number: number): string {
  let word = "";
  for (let rest = number; word.length < 5; rest = Math.floor(rest / letters.length)) {
    word += letters[rest % letters.length];
  }
  return `q${word}`;
}

export function groupOf(number: number): string {
  return groups[number % groups.length] ?? groups[0];
}

/** A line of the feed, in the native format. */
function feedLine(number: number, price: number): string {
  return JSON.stringify({
    _id: keyOf(number),
    name: `Rehearsed ${groupOf(number)} ${wordOf(number)}`,
    brand: "Ferrolux",
    storeName: "Rehearsal",
    description: "",
    url: `https://shop.example/${keyOf(number)}`,
    images: [],
    price,
    availability: "in_stock",
  });
}

/** The products of a search, with the time of their current price. */
export function productsOf(reply: Reply | undefined): { id: string; price: number; pricedMs: number }[] {
  return listOf(fieldsOf(reply?.body).Products).map((product) => ({
    id: String(product._id),
    price: Number(product.price),
    pricedMs: Date.parse(String(listOf(product.priceHistory).at(-1)?.date)),
  }));
}

/** Undefined if the search failed. */
export function totalOf(reply: Reply | undefined): number | undefined {
  const { count } = fieldsOf(reply?.body);
  return reply?.status === 200 && typeof count === "number" ? count : undefined;
}
