import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FeedError, type FeedRow } from "./feed-row.ts";
import { readFeed } from "./read-feed.ts";

async function read(feed: string | Uint8Array, pieceBytes = 7): Promise<FeedRow[]> {
  const bytes = typeof feed === "string" ? Buffer.from(feed) : feed;
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const rows: FeedRow[] = [];
  for await (const some of readFeed(pieces())) rows.push(...some);
  return rows;
}

describe("a JSON array", () => {
  test("has its objects read one by one, with their lines, whatever the pieces and white space", async () => {
    const feed = `\ufeff[ {"a":"x, ] } \\" \\\\","b":[1,{"c":2}]} ,\n\n{"a":\n"é"}\r\n,{},\n{"a":3},\n]\n`;
    for (const size of [1, 2, 3, 7, 1000])
      expect(await read(feed, size)).toEqual([
        { line: 1, own: { a: 'x, ] } " \\', b: [1, { c: 2 }] } },
        { line: 3, own: { a: "é" } },
        { line: 5, own: {} },
        { line: 6, own: { a: 3 } },
      ]);
    expect(await read("[]")).toEqual([]);
  });

  test("has single elements refused that are no objects, not JSON, or not UTF-8", async () => {
    const feed = Buffer.concat([
      Buffer.from('[{"a":1},\n2,"x",null,[{"a":1}],\n{a:1},,{"a":1],\n{"id":"k","b":"'),
      Buffer.from([0xe9]),
      Buffer.from('"},{"a":"\ufffd"}]'),
    ]);
    for (const size of [1, 7, 1000]) {
      const rows = await read(feed, size);
      expect(rows.map((row) => ("fault" in row ? [row.line, row.fault.reason] : row))).toEqual([
        { line: 1, own: { a: 1 } },
        [2, "The element of the array holds no JSON object."],
        [2, "The element of the array holds no JSON object."],
        [2, "The element of the array holds no JSON object."],
        [2, "The element of the array holds no JSON object."],
        [3, "The element of the array is not valid JSON."],
        [3, "The element of the array is not valid JSON."],
        [3, "The element of the array is not valid JSON."],
        [4, "The element of the array holds bytes that are not UTF-8."],
        { line: 4, own: { a: "\ufffd" } },
      ]);
      expect(rows[8]).toMatchObject({ record: { own: { id: "k" } } });
    }
  });

  test.each([
    ['[{"a":1}', /ends early/],
    ['[{"a":1},{"b":"x]', /ends early/],
    ['[{"a":{"b":1},{"c":1}]', /ends early/],
    ['[{"a":1}] {"b":2}', /goes on after/],
    ['[{"a":1}][]', /goes on after/],
    ['[{"a":1}}]', /bracket too many/],
  ])("%j is none", async (feed, message) => {
    for (const size of [1, 1000]) {
      await expect(read(feed, size)).rejects.toThrow(message);
      await expect(read(feed, size)).rejects.toThrow(FeedError);
    }
  });

  test("has an object of a hundred megabytes refused without keeping it in memory", async () => {
    const megabyte = Buffer.alloc(1_000_000, "x,");
    async function* feed() {
      yield Buffer.from('[{"a":1},\n{"b":"');
      for (let count = 0; count < 100; count += 1) yield megabyte;
      yield Buffer.from('"},\n{"c":3}]');
    }
    const before = process.memoryUsage().rss;
    let peak = 0;
    const rows: FeedRow[] = [];
    for await (const some of readFeed(feed())) {
      rows.push(...some);
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(rows).toEqual([
      { line: 1, own: { a: 1 } },
      { line: 2, fault: { reason: expect.stringContaining("longer than") } },
      { line: 3, own: { c: 3 } },
    ]);
    expect((peak - before) / 1e6).toBeLessThan(100);
  });

  test("that is generated is read as it was written", async () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    const sample = fc.record({
      objects: fc.array(json, { minLength: 1, maxLength: 6 }),
      space: fc.constantFrom(0, 2, "\t"),
      pieceBytes: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(sample, async ({ objects, space, pieceBytes }) => {
        const rows = await read(JSON.stringify(objects, null, space), pieceBytes);
        expect(rows.map((row) => ("own" in row ? row.own : row))).toEqual(
          JSON.parse(JSON.stringify(objects)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["nested without end", (size: number) => `[${"[".repeat(size * 200)}`],
    ["many commas", (size: number) => `[${",".repeat(size * 20)}]`],
    ["many strings in an object", (size: number) => `[{"a":[${'"x",'.repeat(size * 100)}1]}]`],
    ["white space", (size: number) => `[${" \n".repeat(size * 200)}]`],
    ["backslashes", (size: number) => `["${"\\\\".repeat(size * 200)}"]`],
  ])("costs time in proportion to its size: %s", async (_, make) => {
    const costOf = async (feed: string) => {
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3; run += 1) {
        const before = process.cpuUsage();
        await read(feed, 65_536).catch(() => undefined);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, user + system);
      }
      return least;
    };
    await costOf(make(100));
    const once = await costOf(make(500));
    const fourTimes = await costOf(make(2000));
    // Quadratic would be 16 times. The floor is what a garbage collection costs.
    expect(fourTimes).toBeLessThan(9 * Math.max(once, 10_000));
  });
});
