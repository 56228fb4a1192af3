import { afterEach, describe, expect, it, vi } from "vitest";

/** The module takes currency and language from the page when it is loaded. */
async function moneyIn(language: string, currency: string) {
  vi.resetModules();
  vi.stubGlobal("document", { querySelector: () => ({ content: currency }) });
  const { NumberFormat } = Intl;
  class LocalFormat extends NumberFormat {
    constructor(_: unknown, options?: Intl.NumberFormatOptions) {
      super(language, options);
    }
  }
  vi.stubGlobal("Intl", { ...Intl, NumberFormat: LocalFormat });
  return import("./money.ts");
}

describe("prices and percentages", () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["en-US", "USD", "−13%", "10%", "$8.99 – $27.00"],
    ["de-DE", "EUR", "−13\u00a0%", "10\u00a0%", "8,99–27,00\u00a0€"],
  ])("have the form of %s", async (language, currency, discount, percent, range) => {
    const money = await moneyIn(language, currency);
    expect(money.formatDiscount(12.6)).toBe(discount);
    expect(money.formatPercent(10)).toBe(percent);
    expect(money.formatPriceRange(8.99, 27)).toBe(range);
    expect(money.formatPriceRange(5, 5)).toBe(money.formatPrice(5));
  });
});
