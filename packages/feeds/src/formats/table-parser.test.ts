import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FeedRow, maxRowLength } from "./feed-row.ts";
import { readFeed } from "./read-feed.ts";

const delimiters = [",", ";", "\t"] as const;

async function read(feed: string | Uint8Array, pieceBytes = 65_536): Promise<FeedRow[]> {
  const bytes = typeof feed === "string" ? Buffer.from(feed) : feed;
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const rows: FeedRow[] = [];
  for await (const some of readFeed(pieces())) rows.push(...some);
  return rows;
}

/** The values of each row by column, or the line of a refused row with its key. */
async function outline(feed: string, pieceBytes?: number) {
  return (await read(feed, pieceBytes)).map((row) => {
    if ("merchant" in row)
      return Object.fromEntries([...row.merchant].map(([name, [value]]) => [name, value]));
    if (!("fault" in row)) return row;
    const { record } = row;
    return {
      refused: row.line,
      key: record && "merchant" in record ? record.merchant.get("id")?.[0] : undefined,
    };
  });
}

describe("a quote that is not doubled", () => {
  test.each([
    ['"27" monitor"', '"27" monitor"'],
    ['"27" monitor', '"27" monitor'],
    ['27" monitor', '27" monitor'],
    ['"a, 27" b"', '"a, 27" b"'],
    ['"say ""hi"" to 27" b"', '"say "hi" to 27" b"'],
  ])("in %j is read as csv-parse reads it, and the feed goes on", async (written, title) => {
    const feed = `id,title,price\n1,Mug,5\n2,${written},6\n3,Cup,7\n`;
    for (const size of [1, 7, 1000])
      expect(await outline(feed, size)).toEqual([
        { id: "1", title: "Mug", price: "5" },
        { id: "2", title, price: "6" },
        { id: "3", title: "Cup", price: "7" },
      ]);
  });

  test("that moves the values of its row has only that row refused, with its key", async () => {
    expect(await outline('id,title,brand\n1,"24 inch,"5"" lamp"\n2,Mug,Acme\n')).toEqual([
      { refused: 2, key: "1" },
      { id: "2", title: "Mug", brand: "Acme" },
    ]);
  });
});

describe("a quote that is never closed", () => {
  const rows = (count: number, toRow: (number: number) => string) =>
    Array.from({ length: count }, (_, at) => toRow(at + 3)).join("");

  test.each([
    ["whose next rows have no quotes", (number: number) => `${number},Mug,5\n`],
    ["whose next rows are quoted", (number: number) => `"${number}","Mug, ""red""","5"\n`],
    ["with windows line ends", (number: number) => `${number},"Mug",5\r\n`],
    ["whose next rows have a value of several lines", (number: number) => `${number},"Mug\nred",5\n`],
  ])("refuses its row alone, in a table %s", async (_, toRow) => {
    for (const count of [1, 200, 60_000]) {
      const read = await outline(`id,title,price\n2,"Lamp,5\n${rows(count, toRow)}`);
      expect(read[0]).toEqual({ refused: 2, key: "2" });
      expect(read).toHaveLength(count + 1);
      expect(read.filter((row) => "refused" in row)).toHaveLength(1);
    }
  });

  test("after a value of several lines refuses the first line, and reads the others one by one", async () => {
    const feed = 'id,title,price\n1,"Lamp\nred","5\n2,Mug,6\n3,"Cup",7\n';
    expect(await outline(feed)).toEqual([
      { refused: 2, key: "1" },
      { refused: 3, key: 'red"' },
      { id: "2", title: "Mug", price: "6" },
      { id: "3", title: "Cup", price: "7" },
    ]);
  });

  test("takes no more than the longest row allows", async () => {
    const text = "x".repeat(200_000);
    const feed = `id,title\n1,"open\n${`2,${text}\n`.repeat(8)}3,"Mug"\n`;
    const outlined = await outline(feed);
    expect(outlined).toHaveLength(10);
    expect(outlined[0]).toEqual({ refused: 2, key: "1" });
    expect(outlined.at(-1)).toEqual({ id: "3", title: "Mug" });
  });

  test("in the last rows is a feed that breaks off", async () => {
    for (const end of ["", "\n", "\nand so on\n", "\n\n\n"])
      await expect(read(`id,title,price\n1,Mug,5\n2,"Lamp${end}`)).rejects.toThrow(/line 3 is never closed/);
  });

  test("in the first row is not the header of a feed", async () => {
    await expect(read('id,"title\n1,Mug\n')).rejects.toThrow(/first row/);
  });
});

test("a row of several lines with too many values is one refused row", async () => {
  expect(await outline('id,title\n1,"two\nlines",x\n2,Mug\n')).toEqual([
    { refused: 2, key: "1" },
    { id: "2", title: "Mug" },
  ]);
});

/** As RFC 4180 says; a table separated by tabs has no values of several lines. */
function written(value: string, delimiter: string, always: boolean): string {
  const needed = value.includes(delimiter) || /["\n]/.test(value);
  return always || needed ? `"${value.replaceAll('"', '""')}"` : value;
}

test("a generated table is read as it was written", async () => {
  const pieces = fc.constantFrom("a", "é", '"', '""', ",", ";", "\t", "\n", " ", "27", "\ufffd", "😀", "'");
  const value = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("").trim());
  const table = fc.record({
    delimiter: fc.constantFrom(...delimiters),
    rows: fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 8 }),
    newline: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\ufeff"),
    always: fc.boolean(),
    isEnded: fc.boolean(),
    pieceBytes: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(table, async ({ delimiter, rows, newline, mark, always, isEnded, pieceBytes }) => {
      const cells = rows.map((row, at) => [
        `k${at}`,
        ...row.map((cell) => (delimiter === "\t" ? cell.replaceAll("\n", " ") : cell)),
      ]);
      const lines = [["id", "title", "brand", "color"], ...cells].map((row) =>
        row.map((cell) => written(cell, delimiter, always)).join(delimiter),
      );
      const feed = `${mark}${lines.join(newline)}${isEnded ? newline : ""}`;
      const expected = cells.map(([id, title, brand, color]) =>
        Object.fromEntries(
          Object.entries({ id, title, brand, color }).filter(([, cell]) => cell !== "" && cell !== undefined),
        ),
      );
      expect(await outline(feed, pieceBytes)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("a damaged row of a generated table takes no other row with it", async () => {
  const damage = fc.constantFrom('"', '"27" monitor"', '"27', '27"', '" "', '""x', 'x""', '"x""');
  const sample = fc.record({
    count: fc.integer({ min: 3, max: 40 }),
    at: fc.nat(),
    damage,
    isQuoted: fc.boolean(),
    delimiter: fc.constantFrom(...delimiters),
  });
  await fc.assert(
    fc.asyncProperty(sample, async ({ count, at, damage, isQuoted, delimiter }) => {
      const damaged = at % (count - 1);
      const quoted = (text: string) => (isQuoted ? `"${text}"` : text);
      const lines = Array.from({ length: count }, (_, row) =>
        [quoted(`k${row}`), row === damaged ? damage : quoted("Mug"), quoted("5")].join(delimiter),
      );
      const rows = await outline([`id${delimiter}title${delimiter}price`, ...lines, ""].join("\n"));
      const keys = rows.map((row) => ("refused" in row ? row.key : "id" in row ? row.id : undefined));
      expect(keys).toEqual(lines.map((_, row) => `k${row}`));
    }),
    { numRuns: 300 },
  );
});

describe("hostile tables", () => {
  const wide = `id,title${",x".repeat(900)}\n`;
  const shapes: [string, (size: number) => string][] = [
    [
      "an open quote and long lines with doubled quotes",
      (n) => `id,title\n1,"\n${`${'x""'.repeat(300)}\n`.repeat(n)}`,
    ],
    ["an open quote in each line", (n) => `id,title\n${'1,"x\n'.repeat(n * 200)}`],
    ["a quote opened and closed in each line", (n) => `${wide}${`x","${"y".repeat(500)}\n`.repeat(n * 2)}`],
    ["empty quoted values", (n) => `id,title\n${'"","\n'.repeat(n * 200)}`],
    ["quotes only", (n) => `id,title\n${'"'.repeat(n * 500)}\n${'"\n'.repeat(n * 250)}`],
    ["an open quote and empty lines", (n) => `id,title\n1,"${"\n".repeat(n * 1000)}`],
    ["rows of quoted values without an end", (n) => `id,title\n${'"a,'.repeat(n * 300)}\n1,2\n`],
  ];
  const costOf = async (feed: string): Promise<number> => {
    const bytes = Buffer.from(feed);
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run += 1) {
      const before = process.cpuUsage();
      await read(bytes).catch(() => undefined);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, user + system);
    }
    return least;
  };

  test.each(shapes)("cost time in proportion to their size: %s", async (_, make) => {
    await costOf(make(100));
    const once = await costOf(make(500));
    const fourTimes = await costOf(make(2000));
    // A cost that grows with the square would be 16 times as high. The floor is what a garbage collection costs.
    expect(fourTimes).toBeLessThan(9 * Math.max(once, 10_000));
  });

  test("cost no more memory than some rows of the longest kind", async () => {
    const line = Buffer.from(`${"x".repeat(maxRowLength - 10)}""\n`);
    async function* feed() {
      yield Buffer.from('id,title\n1,"');
      for (let count = 0; count < 600; count += 1) yield line;
      yield Buffer.from("2,Mug\n");
    }
    const before = process.memoryUsage().rss;
    let peak = 0;
    let count = 0;
    let last: FeedRow | undefined;
    for await (const some of readFeed(feed())) {
      count += some.length;
      last = some.at(-1) ?? last;
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(count).toBe(601);
    expect(last).toHaveProperty("merchant");
    expect((peak - before) / 1e6).toBeLessThan(250);
  });
});
