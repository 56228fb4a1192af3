import type { ColumnMap } from "@product-search/core/ports/imports.ts";
import { describe, expect, it } from "vitest";
import { kindOfNativeRow, readNativeRow } from "../rows/native-row.ts";
import { parseMappedFields, splitList } from "./column-map.ts";
import type { FeedRow, TableLayout } from "./feed-row.ts";
import { readFeed } from "./read-feed.ts";
import type { TableOptions } from "./table-parser.ts";

async function read(text: string, options: TableOptions = {}): Promise<FeedRow[]> {
  const rows: FeedRow[] = [];
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const group of readFeed(chunks, options)) rows.push(...group);
  return rows;
}
const own = (rows: readonly FeedRow[]) => rows.map((row) => ("own" in row ? row.own : row));
const readWith = (text: string, map: ColumnMap) => read(text, { maps: [map], isMapRequired: true });

describe("--map", () => {
  it.each([
    ["title=Name", { title: "Name" }],
    ['title=Long name,price="Price, net"', { title: "Long name", price: "Price, net" }],
    ["price=Price\\, net, url = Web page", { price: "Price, net", link: "Web page" }],
    ["imageLink=Bild,Group ID=Parent", { image_link: "Bild", item_group_id: "Parent" }],
    ["title=a=b", { title: "a=b" }],
    [
      'category=Main,Sub,"Type, fine",price=Net',
      { product_type: ["Main", "Sub", "Type, fine"], price: "Net" },
    ],
    ["images=Front,Back", { image_link: ["Front", "Back"] }],
  ])("understands %s", (text, fields) => {
    expect(parseMappedFields(text)).toEqual({ fields });
  });

  it.each([
    ["headline=Name", /"headline" is not a field. Fields: id, title,/],
    ["title", /"title" is not a field, "=" and a column/],
    ["title=", /as in title=Name/],
    ["title=A,name=B", /"name" is given twice/],
    ["price=A,B", /"B" is a second column of "price", which has one/],
    ["A,title=B", /"A" is not a field/],
  ])("refuses %s", (text, fault) => {
    expect(parseMappedFields(text)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it("has lists of columns with commas", () => {
    expect(splitList('Colour, "Size, EU",Fit\\, cut,')).toEqual(["Colour", "Size, EU", "Fit, cut"]);
  });
});

const wines = "Code;Wine;Bottle price;Was;Grapes;Pictures;Cellar;Region\n";

describe("a table with a map", () => {
  const map = {
    fields: {
      id: "Code",
      title: "wine",
      price: "Bottle price",
      original_price: "Was",
      image_link: "Pictures",
      availability: "Cellar",
    },
    attributes: ["Grapes", "Region"],
  };

  it("has fields and attributes of the columns, lists as in JSON among them", async () => {
    const rows = await readWith(
      `${wines}W1;Rioja;12;15;"[""Tempranillo"",2019,null]";https://a.example/1.jpg|https://a.example/2.jpg;6;North\n` +
        "W2;Cava;9;;;;0;\n",
      map,
    );
    expect(own(rows)).toEqual([
      {
        id: "W1",
        title: "Rioja",
        price: "12",
        original_price: "15",
        image_link: ["https://a.example/1.jpg", "https://a.example/2.jpg"],
        availability: "in_stock",
        attributes: { Grapes: ["Tempranillo", "2019"], Region: ["North"] },
      },
      {
        id: "W2",
        title: "Cava",
        price: "9",
        availability: "out_of_stock",
        attributes: { Grapes: [], Region: [] },
      },
    ]);
  });

  it("refuses a row without a name alone, by the name of the column", async () => {
    expect(await readWith(`${wines}W1;;12;;;;;\nW2;Cava;9;;;;;\n`, map)).toMatchObject([
      { line: 2, fault: { field: "Wine", reason: "is missing" } },
      { own: { id: "W2" } },
    ]);
  });

  it("keeps the columns that have native names, too", async () => {
    const rows = await readWith("Nr;name;price;images\n1;Lamp;5;https://s.example/a.jpg\n", {
      fields: { id: "Nr" },
      attributes: [],
    });
    expect(own(rows)).toMatchObject([{ title: "Lamp", price: "5", image_link: "https://s.example/a.jpg" }]);
  });

  it("keeps the columns that have Google's names, unless the map fills their field", async () => {
    const text = "id,title,price,link,Net,Mood,product_detail\n1,Lamp,99,https://a.example,5,calm,A:B:C\n";
    expect(own(await readWith(text, { fields: { price: "Net" }, attributes: ["Mood"] }))).toEqual([
      {
        ...{ id: "1", title: "Lamp", price: "5", link: "https://a.example", product_detail: "A:B:C" },
        attributes: { Mood: ["calm"] },
      },
    ]);
  });

  it.each([
    [
      { fields: { ...map.fields, title: "Wines" }, attributes: [] },
      /no column Wines: did you mean Wine\? Columns: Code, Wine,/,
    ],
    [{ fields: map.fields, attributes: ["Zebra"] }, /no column Zebra. Columns: Code/],
    [{ fields: { title: "Wine" }, attributes: [] }, /cannot be read with this map.*--map id=Code/],
  ])("whose column the table lacks is refused: %j", async (wrong, message) => {
    await expect(readWith(`${wines}W1;Rioja;12;;;;;\n`, wrong)).rejects.toThrow(message);
  });

  it("is not read from JSON or XML", async () => {
    await expect(readWith('{"id":"1"}\n', map)).rejects.toThrow(/for tables/);
  });

  it("is the first saved one whose columns the table has; other tables are read without", async () => {
    const maps = [{ fields: { title: "Nope" }, attributes: [] }, map];
    const used: TableLayout[] = [];
    const options = { maps, onTable: (layout: TableLayout) => void used.push(layout) };
    await read(`${wines}W1;Rioja;12;;;;;\n`, options);
    await read("id,price\n1,5\n", options);
    expect(used.map(({ mapNumber }) => mapNumber)).toEqual([1, undefined]);
  });
});

it("has the levels of a category in several columns, and lists of several columns", async () => {
  const text =
    "sku;item;net;group;sub;kind;pic1;pic2;labels\n" +
    "1;Oats;2;Food;Grain;;https://a.example/1.jpg;https://a.example/2.jpg;new, bio\n" +
    "2;Rice;3;Food;Food;Rice;;;\n";
  const fields = {
    ...{ id: "sku", title: "item", price: "net", product_type: ["group", "sub", "kind"] },
    ...{ image_link: ["pic1", "pic2"], tags: "labels" },
  };
  expect(own(await readWith(text, { fields, attributes: [] }))).toMatchObject([
    {
      product_type: "Food > Grain",
      image_link: ["https://a.example/1.jpg", "https://a.example/2.jpg"],
      tags: ["new", " bio"],
    },
    { product_type: "Food > Rice" },
  ]);
  const slashed = { fields, attributes: [], categorySeparator: "/" };
  expect(own(await readWith(text, slashed))).toMatchObject([{ product_type: "Food / Grain" }, {}]);
});

it("reads another table from WooCommerce: no groups, no parents without a price, nothing hidden", async () => {
  const text = [
    "ID,Product Name,Product Type,Amount,Stock Status,Visibility,Status",
    "1,Set,grouped,,instock,visible,publish",
    "2,Shirt,variable,,instock,visible,publish",
    "3,Shirt red,variation,9.00,onbackorder,visible,publish",
    "4,Secret,simple,5.00,instock,hidden,publish",
    "5,Idea,simple,5.00,instock,visible,draft",
    "6,Lamp,simple,7.00,outofstock,visible,publish",
  ].join("\n");
  const fields = { id: "ID", title: "Product Name", price: "Amount", availability: "Stock Status" };
  expect(own(await readWith(text, { fields, attributes: [] }))).toEqual([
    { id: "3", title: "Shirt red", price: "9.00", availability: "onbackorder", attributes: {} },
    { id: "4", deleted: true },
    { id: "5", deleted: true },
    { id: "6", title: "Lamp", price: "7.00", availability: "outofstock", attributes: {} },
  ]);
});

it("takes a table with names and addresses in columns of other names for no inventory feed", async () => {
  const text = "ID,Product Name,Price,Permalink\n1,Lamp,24.95,https://shop.example/lamp\n";
  await expect(read(text)).rejects.toThrow('Did you mean --map title="Product Name",link=Permalink?');
  expect(await read("id,price,quantity\n1,24.95,3\n")).toMatchObject([{ kind: "inventory" }]);
});

describe("a mapped table", () => {
  it("may say which products are deleted", async () => {
    const text = "Code,Name,Cost,Gone\nA1,,,true\nA2,Chair,5,false\nA3,Sofa,9,perhaps\nA4,,,yes\n";
    const fields = { id: "Code", title: "Name", price: "Cost", deleted: "Gone" };
    const rows = await readWith(text, { fields, attributes: [] });
    const context = {
      source: "catalog",
      currency: "USD",
      nowMs: Date.now(),
      noAddress: {},
      isTable: true,
    } as const;
    const changes = rows.map((row) =>
      "own" in row ? readNativeRow(row.own, kindOfNativeRow(row.own), context) : row,
    );
    expect(changes).toMatchObject([
      { change: { key: "A1", removed: true } },
      { change: { key: "A2", name: "Chair" } },
      { fault: { field: "deleted", reason: expect.stringContaining("write true or false") } },
      { change: { key: "A4", removed: true } },
    ]);
  });

  it("keeps the key of a row that is refused", async () => {
    const map = { fields: { id: "Code", title: "Name", price: "Cost" }, attributes: [] };
    expect(await readWith("id,Code,Name,Cost\n9,A9,Chair\n8,A8,Chair,4\n", map)).toMatchObject([
      { fault: { reason: expect.stringContaining("3 values") }, record: { own: { id: "A9" } } },
      { own: { id: "A8" } },
    ]);
  });

  it("is read with its own map, though a site was saved later", async () => {
    const maps = [
      { fields: {}, attributes: [], site: "https://shop.example" },
      { fields: { id: "Code", title: "Name", price: "Cost" }, attributes: [] },
    ];
    expect(own(await read("Code,Name,Cost\nA1,Chair,5\n", { maps }))).toMatchObject([{ id: "A1" }]);
  });

  it("reads 80 000 spaces in an address in linear time", async () => {
    const map = { fields: { id: "Code", title: "Name", price: "Cost", image_link: "Image" }, attributes: [] };
    const before = process.threadCpuUsage();
    const rows = await readWith(`Code,Name,Cost,Image\nA1,Chair,5,a${" ".repeat(80_000)}b\n`, map);
    expect(rows).toHaveLength(1);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe("columns that cannot be understood", () => {
  it.each([
    [
      "product_name,sku,retail_price,product_url,brand_name",
      "id=sku,title=product_name,price=retail_price,link=product_url",
    ],
    [
      "ItemNumber,ItemTitle,UnitPrice,Permalink,ImageUrl",
      "id=ItemNumber,title=ItemTitle,price=UnitPrice,link=Permalink",
    ],
    [
      "Nom du produit;Référence;Prix TTC;Lien",
      'id=Référence,title="Nom du produit",price="Prix TTC",link=Lien',
    ],
    ["tilte,idd,pricce,linkk", undefined],
    ["id,Product Titel,prise,link", 'title="Product Titel",price=prise'],
  ])("%s: guesses", async (header, guess) => {
    const message = await read(`${header}\n`).catch((error: Error) => error.message);
    if (guess === undefined) expect(message).toContain("Columns: tilte, idd");
    else expect(message).toContain(`Did you mean --map ${guess}?`);
  });

  it("guesses by the values where the names are of another language", async () => {
    const table =
      "Kuva;Koodi;Tuote;Määrä;Hinta;Sivu\n" +
      "https://a.example/1.jpg;K-1;Sininen muki;4;19,50;https://a.example/1\n" +
      "https://a.example/2.jpg;K-2;Iso pannu;;1.029,00 €;https://a.example/2";
    await expect(read(table)).rejects.toThrow("--map id=Koodi,title=Tuote,price=Hinta,link=Sivu?");
  });

  it("takes no factor, weight or size for the price", async () => {
    const table =
      "Artikel;Leuchte;Powerfaktor;Gewicht;Netto\nL1;Spot;0,95;1,25;24,90\nL2;Strip;0,90;2,50;31,00\n";
    await expect(read(table)).rejects.toThrow(/No column looks like price/);
    await expect(read(table.replaceAll(",90\n", ",90 €\n"))).rejects.toThrow("price=Netto");
  });

  it("lists no more than a screen of them", async () => {
    const header = Array.from({ length: 300 }, (_, n) => `column ${n}`).join(",");
    await expect(read(`${header}\n`)).rejects.toThrow(/"column 59" and 240 more\. No column looks like/);
  });
});
