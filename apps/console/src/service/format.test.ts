import { afterEach, describe, expect, it, vi } from "vitest";

/** The module takes currency and language from the page when it is loaded. */
async function formatIn(language: string, currency: string) {
  vi.resetModules();
  vi.stubGlobal("document", { querySelector: () => ({ content: currency }) });
  const { NumberFormat } = Intl;
  class LocalFormat extends NumberFormat {
    constructor(_: unknown, options?: Intl.NumberFormatOptions) {
      super(language, options);
    }
  }
  vi.stubGlobal("Intl", Object.create(Intl, { NumberFormat: { value: LocalFormat } }));
  return import("./format.ts");
}

describe("prices and percentages", () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["en-US", "USD", "−13%", "10%", "$8.99 – $27.00"],
    ["de-DE", "EUR", "−13\u00a0%", "10\u00a0%", "8,99–27,00\u00a0€"],
  ])("have the form of %s", async (language, currency, discount, percent, range) => {
    const money = await formatIn(language, currency);
    expect(money.formatDiscount(12.6)).toBe(discount);
    expect(money.formatPercent(10)).toBe(percent);
    expect(money.formatPriceRange(8.99, 27)).toBe(range);
    expect(money.formatPriceRange(5, 5)).toBe(money.formatPrice(5));
  });
});

const { timeTicks } = await formatIn("en-US", "USD");
vi.unstubAllGlobals();
const dayMs = 86_400_000;
const start = Date.parse("2026-03-02T09:00:00Z");

describe("the texts below a time axis", () => {
  it.each([0, 1000, 60_000, 3 * 3_600_000, 2 * dayMs, 10 * dayMs, 100 * dayMs, 200 * dayMs, 3000 * dayMs])(
    "never repeat, and the end has one: %j ms",
    (rangeMs) => {
      const texts = timeTicks(start, start + rangeMs).map(({ text }) => text);
      expect(new Set(texts).size).toBe(texts.length);
      expect(timeTicks(start, start + rangeMs).at(-1)?.share).toBe(1);
    },
  );

  it("are hours of a short time, days of a longer one and months of a long one", () => {
    const count = (days: number) => timeTicks(start, start + days * dayMs).length;
    expect([0.01, 2, 30, 400].map(count)).toEqual([4, 4, 4, 4]);
    expect(timeTicks(start, start + 2 * dayMs)[0]?.text).toContain(":");
    expect(timeTicks(start, start + 30 * dayMs)[0]?.text).not.toContain(":");
    expect(timeTicks(start, start + 400 * dayMs)[0]?.text).toContain("2026");
  });
});
