import type { StoreCurrency } from "@product-search/core/ports/catalog-store.ts";

/** Refuses a setting that differs from the currency of the stored prices. Before the first import there is none. */
export async function assertStoreCurrency(storeCurrency: StoreCurrency, setting: string): Promise<void> {
  assertSame(await storeCurrency.read(), setting);
}

/** Call this before prices in the currency are stored. */
export async function recordStoreCurrency(
  storeCurrency: Pick<StoreCurrency, "record">,
  setting: string,
): Promise<void> {
  assertSame(await storeCurrency.record(setting), setting);
}

function assertSame(recorded: string | undefined, setting: string): void {
  if (recorded === undefined || recorded === setting) return;
  throw new Error(
    `CURRENCY is ${setting}, but the prices in the store are in ${recorded}. Set CURRENCY=${recorded}. ` +
      `If the prices are really in ${setting}, run \`pnpm api currency --set ${setting}\`: it converts none of them.`,
  );
}
