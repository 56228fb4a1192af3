import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { FeedError, type FeedRow, maxColumns, maxRowLength } from "./feed-row.ts";
import { readFeed } from "./read-feed.ts";

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(feed: string | Uint8Array, pieceBytes = 7): Promise<FeedRow[]> {
  const bytes = typeof feed === "string" ? Buffer.from(feed) : feed;
  const rows: FeedRow[] = [];
  for await (const some of readFeed(inPieces(bytes, pieceBytes))) rows.push(...some);
  return rows;
}

/** The contents of a merchant row as plain values. */
async function readFields(feed: string | Uint8Array) {
  return (await read(feed)).map((row) =>
    "merchant" in row ? { line: row.line, ...Object.fromEntries(row.merchant) } : row,
  );
}

const xml = (items: string, head = '<?xml version="1.0"?>') =>
  `${head}<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>My shop</title>${items}</channel></rss>`;

describe("JSON Lines", () => {
  test("reads one object per line, whatever the chunks and line ends", async () => {
    const feed = '{"a":1}\r\n\n{"b":"é"}\n{"c":3}';
    const expected = [
      { line: 1, own: { a: 1 } },
      { line: 3, own: { b: "é" } },
      { line: 4, own: { c: 3 } },
    ];
    for (const size of [1, 2, 5, 1000]) expect(await read(feed, size)).toEqual(expected);
  });

  test("refuses single lines that are not objects or not UTF-8", async () => {
    const feed = Buffer.concat([
      Buffer.from('{"a":1}\n{broken}\n[1]\n"x"\n{"b":"'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n{"c":3}\n'),
    ]);
    const rows = await read(feed);
    expect(rows.map((row) => ("fault" in row ? row.fault.reason : "fine"))).toEqual([
      "fine",
      "The line is not valid JSON.",
      "The line holds no JSON object.",
      "The line holds no JSON object.",
      "The line holds bytes that are not UTF-8.",
      "fine",
    ]);
  });

  test("skips a line of a hundred megabytes without keeping it in memory", async () => {
    // The same chunk again and again, so that the test measures the memory of the reader and not its own.
    const megabyte = Buffer.alloc(1_000_000, "x");
    async function* feed() {
      yield Buffer.from('{"a":1}\n{"b":"');
      for (let count = 0; count < 100; count += 1) yield megabyte;
      yield Buffer.from('"}\n{"c":3}\n');
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
    expect(peak - before).toBeLessThan(60e6);
  });

  test("fails if the last line is incomplete", async () => {
    await expect(read('{"a":1}\n{"b":')).rejects.toThrow(/ends early in line 2/);
    await expect(read(`{"a":1}\n{"b":"${"x".repeat(maxRowLength + 1)}`, 65_536)).rejects.toThrow(
      /ends early in line 2/,
    );
  });
});

describe("tables", () => {
  test("have column names in the first row, in any spelling", async () => {
    const feed =
      'ID\tTitle\tg:image link\tadditional_image_link\n1\tLamp\thttp://a/1\t\n2\t27" screen\t\thttp://a/2\n';
    expect(await readFields(feed)).toEqual([
      { line: 2, id: ["1"], title: ["Lamp"], image_link: ["http://a/1"] },
      { line: 3, id: ["2"], title: ['27" screen'], additional_image_link: ["http://a/2"] },
    ]);
  });

  test("may be separated by commas or semicolons, with quoted values over several lines", async () => {
    const feed = 'id,title,description\n1,"Lamp, ""big""","two\nlines, and more"\n2,Mug,\n';
    const expected = [
      { line: 2, id: ["1"], title: ['Lamp, "big"'], description: ["two\nlines, and more"] },
      { line: 4, id: ["2"], title: ["Mug"] },
    ];
    expect(await readFields(feed)).toEqual(expected);
    expect(await readFields("id;title;price\r\n1;Lamp;19,99 EUR\r\n")).toEqual([
      { line: 2, id: ["1"], title: ["Lamp"], price: ["19,99 EUR"] },
    ]);
  });

  test("keep inch marks anywhere in a value", async () => {
    expect(await readFields('id\ttitle\n1\t"24 inch\n2\t"5"" lamp"\n3\t27"\n')).toEqual([
      { line: 2, id: ["1"], title: ['"24 inch'] },
      { line: 3, id: ["2"], title: ['5" lamp'] },
      { line: 4, id: ["3"], title: ['27"'] },
    ]);
    expect(await readFields('id,title\n1,"12"" x 12"" tile"\n2,27" screen\n')).toEqual([
      { line: 2, id: ["1"], title: ['12" x 12" tile'] },
      { line: 3, id: ["2"], title: ['27" screen'] },
    ]);
  });

  test("refuse rows with more or fewer values than columns", async () => {
    const [row] = await read("id,title\n1,2,3\n2,b\n");
    expect(row).toMatchObject({
      line: 2,
      fault: { reason: "The row has 3 values where the first row names 2 columns." },
    });
  });

  test.each([
    ["no known column", "a,b\n1,2\n", /No column is called id, title, price, link/],
    ["a million columns", `id,title${",x".repeat(1_000_000)}\n`, /longer than|more than/],
    ["too many columns", `id,title${",x".repeat(maxColumns)}\n`, /more than 1000 columns/],
    ["a quote that is never closed in the last row", 'id,title\n1,Mug\n2,"Lamp\n', /never closed/],
    ["a quote that is open for ever", `id,title\n1,"${"\n".repeat(2000)}`, /never closed/],
    ["a last row that is cut", "id,title,price\n1,Lamp,5\n2,Mu", /ends early in line 3/],
  ])("cannot have %s", async (_, feed, message) => {
    await expect(read(feed, 65_536)).rejects.toThrow(message);
  });

  test("refuse a row of a million values, and continue", async () => {
    const rows = await read(`id,title\n${"x,".repeat(400_000)}\n2,Mug\n`, 65_536);
    expect(rows[0]).toMatchObject({ fault: { reason: expect.stringContaining("more than 1000") } });
    expect(rows[1]).toMatchObject({ line: 3 });
  });
});

describe("XML", () => {
  test("RSS items are products; Google's fields take precedence over those of RSS", async () => {
    const feed = xml(`
<item><title>Plain</title><g:title>Lamp &amp; shade</g:title><g:id>1</g:id><link>http://a/1</link><media:title>other</media:title>
<description><![CDATA[<b>Warm</b> light]]></description><g:shipping><g:price>5 USD</g:price></g:shipping><g:price>19.99 USD</g:price>
<g:additional_image_link>http://a/2</g:additional_image_link><g:additional_image_link>http://a/3</g:additional_image_link></item>
<item><g:id>2</g:id><title>Mug</title></item>`);
    const rows = await read(feed);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ line: 2, storeName: "My shop" });
    expect((await readFields(feed))[0]).toEqual({
      line: 2,
      id: ["1"],
      title: ["Lamp & shade"],
      link: ["http://a/1"],
      description: ["<b>Warm</b> light"],
      price: ["19.99 USD"],
      additional_image_link: ["http://a/2", "http://a/3"],
    });
  });

  test("Atom entries are products too, with any prefix for Google's namespace", async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gm="http://base.google.com/ns/1.0"><title>Shop</title>
<entry><title>Lamp</title><link href="http://a/1"/><link rel="self" href="http://a/x"/><summary>Warm</summary><gm:id>1</gm:id></entry></feed>`;
    expect(await readFields(feed)).toEqual([
      { line: 2, title: ["Lamp"], link: ["http://a/1"], description: ["Warm"], id: ["1"] },
    ]);
  });

  test("declares its encoding, or begins with a UTF-16 byte order mark", async () => {
    const item = "<item><g:id>1</g:id><title>Café</title></item>";
    const latin1 = Buffer.from(xml(item, '<?xml version="1.0" encoding="ISO-8859-1"?>'), "latin1");
    const utf16 = Buffer.from(`\ufeff${xml(item, '<?xml version="1.0" encoding="UTF-16"?>')}`, "utf16le");
    for (const feed of [latin1, utf16]) expect(await readFields(feed)).toMatchObject([{ title: ["Café"] }]);
  });

  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`;
  test.each([
    ["breaks off", xml("<item><g:id>1</g:id></item>").slice(0, -20), /not well-formed/],
    ["is not well-formed", xml("<item><g:id>1</g:price></item>"), /not well-formed/],
    ["declares entities", bomb, /entities/],
    ["uses unknown entities", xml("<item><g:id>&nbsp;</g:id></item>"), /not well-formed/],
    [
      "holds a product of many megabytes",
      xml(`<item><g:id>${"x".repeat(3e6)}</g:id></item>`),
      /without a product/,
    ],
    ["holds nothing but megabytes", xml(`<x>${"x".repeat(3e6)}</x>`), /without a product/],
    ["nests without end", xml("<a>".repeat(5000)), /nests/],
    [
      "has a product of a million elements",
      xml(`<item>${"<g:x/>".repeat(100_000)}</item>`),
      /more than 2000 elements/,
    ],
    [
      "is not in its declared encoding",
      Buffer.from(xml("<item><title>Café</title></item>"), "latin1"),
      /not utf-8/,
    ],
    ["declares an unknown encoding", xml("", '<?xml version="1.0" encoding="klingon"?>'), /unknown encoding/],
  ])("cannot be read when it %s", async (_, feed, message) => {
    await expect(read(feed, 65_536)).rejects.toThrow(message);
    await expect(read(feed, 65_536)).rejects.toThrow(FeedError);
  });
});

/** The rows that are read, and the encoding used. */
async function readAs(feed: Uint8Array, pieceBytes: number, encoding?: string) {
  let found = "";
  const titles: unknown[] = [];
  const options = {
    ...(encoding !== undefined && { encoding }),
    onEncoding: (name: string) => (found = name),
  };
  for await (const rows of readFeed(inPieces(feed, pieceBytes), options)) {
    for (const row of rows) titles.push("merchant" in row ? row.merchant.get("title")?.[0] : row);
  }
  return { found, titles };
}

describe("the encoding of a table", () => {
  const table = (...titles: string[]) =>
    `id\ttitle\n${titles.map((title, at) => `${at}\t${title}`).join("\n")}\n`;
  const sizes = [1, 2, 3, 7, 1000];

  test.each(sizes)("is Latin-1 when its bytes are not UTF-8, in pieces of %i bytes", async (size) => {
    const titles = ["Lamp", "Café", "Müsli", "Größe €"];
    const feed = Buffer.from(table(...titles).replace("€", "\x80"), "latin1");
    expect(await readAs(feed, size)).toEqual({ found: "windows-1252", titles });
  });

  test.each(sizes)("is UTF-8 when they are, in pieces of %i bytes", async (size) => {
    const titles = ["Lamp", "Café", "日本", "😀"];
    expect(await readAs(Buffer.from(table(...titles)), size)).toEqual({ found: "utf-8", titles });
    const marked = Buffer.from(`\ufeff${table(...titles)}`);
    expect(await readAs(marked, size)).toEqual({ found: "utf-8", titles });
  });

  test("stays UTF-8 if a few bytes are invalid: only their rows are refused", async () => {
    const feed = Buffer.concat([
      Buffer.from("id\ttitle\n0\tCafé\n1\tMüsli\n2\tCaf"),
      Buffer.from([0xe9]),
      Buffer.from("\n3\tGröße\n"),
    ]);
    const { found, titles } = await readAs(feed, 1000);
    expect(found).toBe("utf-8");
    expect(titles).toMatchObject(["Café", "Müsli", { fault: {} }, "Größe"]);
  });

  test("is UTF-8 as long as it is ASCII", async () => {
    expect(await readAs(Buffer.from(table("Lamp")), 5)).toEqual({ found: "utf-8", titles: ["Lamp"] });
  });

  test.each(["utf-16le", "utf-16be"])("is %s, with or without a mark", async (encoding) => {
    const titles = ["Lamp", "Café", "Größe"];
    for (const mark of ["", "\ufeff"]) {
      const feed = Buffer.from(mark + table(...titles), "utf16le");
      if (encoding === "utf-16be") feed.swap16();
      for (const size of sizes) expect(await readAs(feed, size)).toEqual({ found: encoding, titles });
    }
  });

  test("can be named", async () => {
    const feed = Buffer.from([...Buffer.from("id\ttitle\n0\t"), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]);
    expect(await readAs(feed, 5, "windows-1251")).toEqual({ found: "windows-1251", titles: ["Привет"] });
  });

  test("that is named takes precedence over the XML declaration", async () => {
    const item = "<item><g:id>1</g:id><title>Café</title></item>";
    const feed = Buffer.from(xml(item, '<?xml version="1.0" encoding="UTF-8"?>'), "latin1");
    expect((await readAs(feed, 50, "latin1")).titles).toEqual(["Café"]);
    await expect(readAs(feed, 50)).rejects.toThrow("--encoding");
  });
});

describe("any feed", () => {
  test("may be gzipped", async () => {
    expect(await read(gzipSync('{"a":1}\n'))).toEqual([{ line: 1, own: { a: 1 } }]);
  });

  test("is refused if its gzip data is incomplete or damaged", async () => {
    const packed = gzipSync(`{"a":"${"xyz".repeat(1000)}"}\n`);
    await expect(read(packed.subarray(0, packed.length - 10))).rejects.toThrow(/damaged or break off/);
    packed[20] = (packed[20] ?? 0) ^ 0xff;
    await expect(read(packed)).rejects.toThrow(/damaged or break off/);
  });

  test.each([
    ["", /empty/],
    ["  \n ", /empty/],
    ["PK\x03\x04rest", /zip archive/],
    ["\x89PNG\x00\x00", /no text/],
    ["hello world", /No column is called id, title, price, link/],
  ])("%j is none", async (feed, message) => {
    await expect(read(Buffer.from(feed, "latin1"))).rejects.toThrow(message);
  });

  test("that fails while it is read reports the error and closes its source", async () => {
    let closed = false;
    async function* source() {
      try {
        yield Buffer.from('{"a":1}\n');
        throw new Error("connection lost");
      } finally {
        closed = true;
      }
    }
    const all = async () => {
      for await (const _ of readFeed(source()));
    };
    await expect(all()).rejects.toThrow("connection lost");
    expect(closed).toBe(true);
  });
});

describe("the character U+FFFD", () => {
  const title = "Caf\ufffd \ufffd";
  const bad = Buffer.from([0xe9]);

  test.each([1, 2, 3, 7, 1000])("is text where the bytes are valid, in pieces of %i bytes", async (size) => {
    const lines = `{"id":"1","name":"${title}"}\n{"id":"2","name":"é"}\n`;
    expect(await read(lines, size)).toEqual([
      { line: 1, own: { id: "1", name: title } },
      { line: 2, own: { id: "2", name: "é" } },
    ]);
    for (const delimiter of [",", ";", "\t"])
      expect(await readFields(`\ufeffid${delimiter}title\n1${delimiter}${title}\n`)).toEqual([
        { line: 2, id: ["1"], title: [title] },
      ]);
  });

  test("is text in UTF-16, detected or named", async () => {
    const feed = Buffer.from(`\ufeffid\ttitle\n1\t${title}\n`, "utf16le");
    for (const encoding of [undefined, "utf-16le"])
      expect((await readAs(feed, 7, encoding)).titles).toEqual([title]);
  });

  test.each([1, 2, 3, 7, 1000])(
    "does not hide invalid bytes of other rows, whose key is kept, in pieces of %i bytes",
    async (size) => {
      const feed = Buffer.concat([
        Buffer.from(`id,title\n1,${title} ü\n2,Caf`),
        bad,
        Buffer.from(`\n3,${title}\n4,"two\nCaf`),
        bad,
        Buffer.from('"\n5,Größe\n'),
      ]);
      for (const encoding of [undefined, "utf-8"]) {
        const rows: FeedRow[] = [];
        const options = encoding === undefined ? {} : { encoding };
        for await (const some of readFeed(inPieces(feed, size), options)) rows.push(...some);
        expect(
          rows.map((row) =>
            "merchant" in row
              ? row.merchant.get("title")
              : "fault" in row && row.record !== undefined && "merchant" in row.record
                ? row.record.merchant.get("id")
                : row,
          ),
        ).toEqual([[`${title} ü`], ["2"], [title], ["4"], ["Größe"]]);
      }
    },
  );

  test("stands for invalid bytes in an older encoding that is named", async () => {
    const feed = Buffer.concat([Buffer.from("id,title\n1,"), Buffer.from([0xff]), Buffer.from("\n2,Mug\n")]);
    const { titles } = await readAs(feed, 7, "shift_jis");
    expect(titles).toMatchObject([{ fault: {} }, "Mug"]);
  });
});
