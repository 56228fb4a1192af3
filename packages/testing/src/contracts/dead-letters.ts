import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetterQueue, DeadLetters } from "@product-search/core/ports/webhooks.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export interface DeadLettersFixture {
  deadLetters: DeadLetters;
  /** Writes a dead letter as the queues do; a second one for the same item replaces the first. */
  addLetter(letter: {
    queue: DeadLetterQueue;
    item: string;
    failures: number;
    payload?: string;
  }): Promise<void>;
  addLostImage(address: string): Promise<void>;
  /** The state of the image. */
  image(address: string): Promise<{ state: string; attempts: number; due_at: number } | undefined>;
  addProduct(id: string): Promise<void>;
  /** The number of changes since the newest one before the retry that include the product. */
  changesOf(id: string): Promise<number>;
  close(): Promise<void>;
}

/** Tests for every store of dead letters. Retries of deliveries are tested with their queue. */
export function describeDeadLetters(open: (clock: Clock) => Promise<DeadLettersFixture>): void {
  let fixture: DeadLettersFixture;
  let deadLetters: DeadLetters;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs });
    deadLetters = fixture.deadLetters;
  });
  afterEach(() => fixture.close());

  const newestId = async () => (await deadLetters.list({ limit: 1 })).letters[0]?.id ?? "";

  test("lists letters newest first, in pages without gaps or repetitions", async () => {
    for (let item = 0; item < 7; item++)
      await fixture.addLetter({ queue: "pictures", item: String(item), failures: item });
    const items: string[] = [];
    let before: number | undefined;
    do {
      const page = await deadLetters.list({ limit: 3, ...(before !== undefined && { before }) });
      items.push(...page.letters.map(({ item }) => item));
      before = page.next;
    } while (before !== undefined);
    expect(items).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
    expect((await deadLetters.list({ limit: 1 })).letters).toEqual([
      {
        id: expect.stringMatching(/^dead_/),
        queue: "pictures",
        item: "6",
        error: "no",
        failures: 6,
        createdAtMs: nowMs,
      },
    ]);
  });

  test("keeps one letter per item, and counts by queue", async () => {
    await fixture.addLetter({ queue: "products", item: "a", failures: 1 });
    await fixture.addLetter({ queue: "products", item: "a", failures: 2 });
    await fixture.addLetter({ queue: "imports", item: "a", failures: 1 });
    expect(await deadLetters.count()).toEqual({ deliveries: 0, imports: 1, pictures: 0, products: 1 });
    const { letters } = await deadLetters.list({ limit: 10 });
    expect(letters.find(({ queue }) => queue === "products")).toMatchObject({ failures: 2 });
  });

  test("returns the product of a failed import, which is not retried here", async () => {
    const payload = JSON.stringify({ name: "Lamp" });
    await fixture.addLetter({ queue: "imports", item: "a", failures: 1, payload });
    const id = await newestId();
    expect(await deadLetters.inputOf(id)).toEqual({ name: "Lamp" });
    expect(await deadLetters.inputOf("absent")).toBeUndefined();
    await expect(deadLetters.retry(id)).rejects.toThrow("retried by applying it");
    expect(await deadLetters.retry("absent")).toBe("absent");
  });

  test("puts a lost image back once, due at once", async () => {
    for (const [address, dueAtMs] of [
      ["https://shop.example/a.jpg", nowMs],
      ["/images/a.jpg", 0],
    ] as const) {
      await fixture.addLostImage(address);
      await fixture.addLetter({ queue: "pictures", item: address, failures: 5 });
      const id = await newestId();
      const outcomes = await Promise.all([deadLetters.retry(id), deadLetters.retry(id)]);
      expect(outcomes.toSorted()).toEqual(["absent", "retried"]);
      expect(await fixture.image(address)).toEqual({ state: "waiting", attempts: 0, due_at: dueAtMs });
    }
    await fixture.addLetter({ queue: "pictures", item: "/images/a.jpg", failures: 5 });
    expect(await deadLetters.retry(await newestId())).toBe("obsolete");
    expect(await deadLetters.count()).toMatchObject({ pictures: 0 });
  });

  test("makes followers read a product again", async () => {
    await fixture.addProduct("a");
    await fixture.addLetter({ queue: "products", item: "a", failures: 1 });
    expect(await deadLetters.retry(await newestId())).toBe("retried");
    expect(await fixture.changesOf("a")).toBe(1);
    await fixture.addLetter({ queue: "products", item: "gone", failures: 1 });
    expect(await deadLetters.retry(await newestId())).toBe("obsolete");
    expect(await deadLetters.list({ limit: 10 })).toEqual({ letters: [] });
  });
}
