import type { AnswerBrief, AnswerProduct, AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

export interface OpenAnswerWriter {
  readonly writer: AnswerWriter;
  close(): Promise<void>;
}

const product = (index: number): AnswerProduct => ({
  reference: `p${index}`,
  name: `Xylo Lamp ${index}`,
  brand: "Xylo",
  storeName: "Lichthaus",
  priceMinor: 1000 * index,
  rating: 4 + index / 10,
  reviewCount: 3,
  availability: "in_stock",
  description: "A lamp.",
  quoteIsReason: false,
  isNamed: true,
  speakable: true,
});

export const brief: AnswerBrief = {
  request: "lamps",
  history: [],
  outcome: "found",
  total: 2,
  parts: [{ total: 2, references: ["p1", "p2"], features: [] }],
  relaxed: [],
  unmet: [],
  language: "en",
  keptPriceLimit: false,
  corrected: false,
  hasPriceBound: false,
  sortedBy: "relevance",
  asksForNewest: false,
  asksForPopular: false,
  togetherWithinLimit: false,
  near: [],
  isMaker: false,
  otherCurrency: false,
  products: [product(1), product(2)],
  currency: "USD",
};

/** Tests for every writer. The quality of the text is checked by the sentence check and the evaluation. */
export function describeAnswerWriter(open: () => Promise<OpenAnswerWriter>): void {
  let opened: OpenAnswerWriter;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const write = async (signal: AbortSignal): Promise<string[]> => {
    const sentences: string[] = [];
    for await (const sentence of opened.writer.write(brief, signal)) sentences.push(sentence);
    return sentences;
  };

  describe("write", () => {
    test("returns complete sentences that name products by reference", async () => {
      const sentences = await write(AbortSignal.timeout(5000));
      expect(sentences.length).toBeGreaterThan(0);
      for (const sentence of sentences) expect(sentence).toMatch(/^\S.*[.!?]$/u);
      expect(sentences.join(" ")).toMatch(/\{p1\.name\}/);
      expect(sentences.join(" ")).not.toContain("Xylo");
    });

    test("stops when the caller aborts", async () => {
      await expect(write(AbortSignal.abort())).rejects.toThrow("aborted");
    });
  });

  test("plans either nothing or searches", async () => {
    const plan = await opened.writer.plan({ request: "lamps", history: [] }, AbortSignal.timeout(5000));
    if (plan !== undefined) expect(plan).toMatchObject({ isProductSearch: true, searches: ["lamps"] });
  });

  test("replaces a sentence, or reports that it cannot", async () => {
    const refusal = { sentence: "It costs nothing.", fault: "no product is named" };
    const repaired = await opened.writer
      .repair(brief, refusal, AbortSignal.timeout(5000))
      .catch((error: unknown) => error);
    if (repaired instanceof Error) expect(repaired.message).toContain(refusal.sentence);
    else expect(repaired).toEqual(expect.not.stringMatching(refusal.sentence));
  });
}
