import { setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, it, test, vi } from "vitest";
import { createFairQueue } from "../../mechanisms/fair-queue.ts";
import { namesOtherCurrency } from "./phrases.ts";
import { type FiltersInText, orderPhrasesWithNeighbours, readFilters, readSearch } from "./read-filters.ts";

const most = (price: number): FiltersInText => ({ maxPriceMinor: price * 100 });
const least = (price: number): FiltersInText => ({ minPriceMinor: price * 100 });
const range = (from: number, to: number): FiltersInText => ({ ...least(from), ...most(to) });
const without = (...withoutWords: string[]): FiltersInText => ({ withoutWords });

const cases: Record<string, [text: string, words: string, filters: FiltersInText][]> = {
  "an upper bound": [
    ["shoes under $50", "shoes", most(50)],
    ["Shoes Under 50", "Shoes", most(50)],
    ["shoes under fifty dollars", "shoes", most(50)],
    ["laptop bag less than 1,299.50", "laptop bag", most(1299.5)],
    ["a bag for under 80 please", "a bag please", most(80)],
    ["mugs priced below 12", "mugs", most(12)],
    ["mugs up to 12€", "mugs", most(12)],
    ["mugs, 12 dollars or less", "mugs,", most(12)],
    ["under 50 headphones", "headphones", most(50)],
    ["scarf under 50 pounds", "scarf", most(50)],
    ["scarf under 30 in black", "scarf in black", most(30)],
    ["under 20", "", most(20)],
    ["I have 60 dollars for a bag", "for a bag", most(60)],
    ["mug max 12€", "mug", most(12)],
    ["Rucksack unter 80 Euro", "Rucksack", most(80)],
    ["sac à dos moins de 80 €", "sac à dos", most(80)],
    ["mochila por menos de 80 euros", "mochila", most(80)],
  ],
  "a lower bound": [
    ["watches over 300", "watches", least(300)],
    ["watches at least $250", "watches", least(250)],
    ["watch 250 and up", "watch", least(250)],
    ["sofas from 1000 dollars", "sofas", least(1000)],
    ["Uhr ab 100 Euro", "Uhr", least(100)],
  ],
  "a range": [
    ["lamps between 20 and 40", "lamps", range(20, 40)],
    ["lamps between 40 and 20", "lamps", range(20, 40)],
    ["lamps from 20 to 40", "lamps", range(20, 40)],
    ["lamps $20-$40", "lamps", range(20, 40)],
    ["lamps 20-40€", "lamps", range(20, 40)],
    ["Lampe zwischen 20 und 40 Euro", "Lampe", range(20, 40)],
    ["lampe entre 20 et 40 €", "lampe", range(20, 40)],
    ["lámpara entre 20 y 40 euros", "lámpara", range(20, 40)],
    ["lamps over 20 under 40", "lamps", range(20, 40)],
  ],
  "about a price": [
    ["running shoes 80 Euro", "running shoes", range(64, 96)],
    ["$50 backpack", "backpack", range(40, 60)],
    ["backpack around 50", "backpack", range(40, 60)],
  ],
  "a rating": [
    ["4 stars lamps", "lamps", { minRating: 4 }],
    ["lamps with at least 4 stars", "lamps", { minRating: 4 }],
    ["lamps rated 4.5", "lamps", { minRating: 4.5 }],
    ["lamp 4+ stars under 80", "lamp", { minRating: 4, ...most(80) }],
    ["Lampe mit 4 Sternen", "Lampe", { minRating: 4 }],
  ],
  "a minus": [
    ["bag -leather", "bag", without("leather")],
    ["-leather bag -black", "bag", without("leather", "black")],
    ['boots -"rubber sole" brown', "boots brown", without("rubber sole")],
    ["boots –“rubber sole”", "boots", without("rubber sole")],
    ["-glass -Steel", "", without("glass", "steel")],
    ["cable -usb-c", "cable", without("usb-c")],
    ["cable usb-c", "cable usb-c", {}],
    ["screw 3-1/2 -2", "screw 3-1/2 -2", {}],
    ["ABC-12 lamp - red", "ABC-12 lamp - red", {}],
    ["bag -leather under 50", "bag", { ...without("leather"), ...most(50) }],
  ],
  "no vehicle in a text about getting about": [
    ["getting around town without a car", "getting around town", {}],
    ["I commute without a car", "I commute", {}],
    ["toy garage without cars", "toy garage", without("cars")],
    ["zur Arbeit ohne Auto", "zur Arbeit", {}],
  ],
  "what must not be": [
    ["leather bag not black", "leather bag", without("black")],
    ["bag without handles", "bag", without("handles")],
    ["bag without handles black", "bag black", without("handles")],
    ["fan with no light kit", "fan", without("light kit")],
    ["sac pas noir", "sac", without("noir")],
    ["bag without shoulder strap", "bag", without("shoulder strap")],
    ["neither red nor black bag", "bag", without("red", "black")],
    ["bag neither red nor black", "bag", without("red", "black")],
    ["bag, not red or black", "bag,", without("red", "black")],
    ["bag without leather or suede", "bag", without("leather", "suede")],
    ["non-leather bag", "bag", without("leather")],
    ["no leather bag", "bag", without("leather")],
    ["shop vac no wheels", "shop vac", without("wheels")],
    ["ice melters with no salt", "ice melters", without("salt")],
    ["bag except Velmora", "bag", without("velmora")],
    ["not black", "", without("black")],
    ["Tasche ohne Leder", "Tasche", without("leder")],
    ["Tasche nicht schwarz", "Tasche", without("schwarz")],
    ["sac sans cuir", "sac", without("cuir")],
    ["bolso sin cuero", "bolso", without("cuero")],
    ["bolso ni rojo ni negro", "bolso", without("rojo", "negro")],
    ["bag not black under 150", "bag", { ...without("black"), ...most(150) }],
  ],
};

describe.each(Object.entries(cases))("reads %s", (_, rows) => {
  test.each(rows)("%s", async (text, words, filters) => {
    expect(await readFilters(text, "USD")).toEqual({ words, filters });
  });
});

describe("leaves alone", () => {
  test.each([
    "running shoes",
    "32 inch tv",
    "12 x 24 tile",
    "tarp up to 10 x 12",
    "plywood under 3/4",
    'pipe under 2"',
    "shelf under 30 in",
    "knife under 2 kg",
    "non black out curtains",
    "air max 90",
    "ni-cad 3/8 in. drill",
    "bar 6-3/5 in.",
    "flea drops for dogs 81 + lbs",
    "echo pas extension",
    "tape max 500 maximum",
    "food pan, lid not included, case of 6",
    "dewalt 20 max drill",
    "30 euro style espresso",
    "energy star refrigerator",
    "under deck ceiling",
    "over the door hook",
    "no entry sign",
    "no dig edging",
    "do not disturb sign",
    "forget me not seeds",
    "non slip mat",
    "sin city poster",
    "cabinet with at least 3 drawers",
    "table for up to 6 people",
    "20 pound dumbbell",
    "ul rated 3 wire",
    "white polishing compound no 7",
    "the",
    "é",
  ])("%s", async (text) => {
    expect(await readFilters(text, "USD")).toEqual({ words: text, filters: {} });
  });
});

it("does not read quoted text, but reads the rest", async () => {
  expect(await readFilters('mug "not a morning person" under 20', "USD")).toEqual({
    words: "mug not a morning person",
    filters: most(20),
  });
  expect(await readFilters("poster “catch 22 under 50”", "USD")).toEqual({
    words: "poster catch 22 under 50",
    filters: {},
  });
});

it("does not read an inch mark as a quotation mark", async () => {
  expect(await readFilters('12" x 24" tile not white', "USD")).toEqual({
    words: '12" x 24" tile',
    filters: without("white"),
  });
});

it("keeps the original spelling of the words", async () => {
  expect((await readFilters("Crème Brûlée torch 3½ in. under $50", "USD")).words).toBe(
    "Crème Brûlée torch 3½ in.",
  );
});

it("uses the minor unit of the currency", async () => {
  expect((await readFilters("lamp under 5000 yen", "JPY")).filters).toEqual({ maxPriceMinor: 5000 });
});

describe("an order in the text", () => {
  const noName = () => false;
  test.each([
    ["cheap leather bag", "leather bag", "price", "asc"],
    ["the cheapest sofa", "sofa", "price", "asc"],
    ["Lamps, least expensive first", "Lamps,", "price", "asc"],
    ["affordable desks", "desks", "price", "asc"],
    ["shoes not too expensive", "shoes", "price", "asc"],
    ["most expensive watch", "watch", "price", "desc"],
    ["best rated headphones", "headphones", "rating", "desc"],
    ["top-rated mugs", "mugs", "rating", "desc"],
    ["cheapest", "", "price", "asc"],
  ])("%s", async (text, words, sort, order) => {
    expect(await readSearch(text, "USD", noName)).toEqual({ words, filters: {}, sorting: { sort, order } });
    expect(await readFilters(text, "USD")).not.toHaveProperty("sorting");
  });

  test("stands beside filters, and the first of several counts", async () => {
    expect(await readSearch("cheapest best rated lamp under 80 not black", "USD", noName)).toEqual({
      words: "lamp",
      filters: { ...most(80), ...without("black") },
      sorting: { sort: "price", order: "asc" },
    });
  });

  test.each([
    "crop top",
    "best friend mug",
    "luxury vinyl plank",
    "budget planner",
    "premium oak desk",
    "table top",
    '"cheap" lamp',
  ])("is not read in: %s", async (text) => {
    expect(await readSearch(text, "USD", noName)).not.toHaveProperty("sorting");
  });

  test("is not read in a name", async () => {
    const isName = (words: string) => words === "cheap monday";
    expect(await orderPhrasesWithNeighbours("slim Cheap Monday, jeans", "USD")).toEqual([
      "slim cheap",
      "cheap monday",
    ]);
    expect(await readSearch("Cheap Monday jeans", "USD", isName)).toEqual({
      words: "Cheap Monday jeans",
      filters: {},
    });
    expect(await readSearch("cheapest Cheap Monday jeans", "USD", isName)).toMatchObject({
      words: "Cheap Monday jeans",
      sorting: { sort: "price" },
    });
  });
});

test("others have their turn while a slow table is read", async () => {
  let now = 0;
  using _clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
  using _processor = vi
    .spyOn(process, "threadCpuUsage")
    .mockImplementation(() => ({ user: now * 1000, system: 0 }));
  const queue = createFairQueue({ sliceMs: 1 });
  let isReading = true;
  let turns = 0;
  const others = async () => {
    for (; isReading; turns++) await nextLoop();
  };
  const reading = queue.run(
    "caller",
    () => new AbortController().signal,
    () => readFilters("lamp under 80, 4 stars, not black", "USD"),
  );
  const counting = others();
  expect((await reading).filters).toEqual({ maxPriceMinor: 8000, minRating: 4, withoutWords: ["black"] });
  isReading = false;
  await counting;
  expect(turns).toBeGreaterThan(10);
});

test.each([
  ["shoes 80 Euro", "USD", true],
  ["shoes under €80", "USD", true],
  ["shoes under 80€", "USD", true],
  ["shoes under 80 EUR", "USD", true],
  ["shoes under £80", "EUR", true],
  ["shoes under $80", "USD", false],
  ["shoes under $80", "CAD", false],
  ["shoes under 80 dollars", "EUR", true],
  ["shoes under 80", "USD", false],
  ["a euro style lamp under 80", "USD", false],
  ["shoes 80 euros or 90 dollars", "USD", false],
])("%s where prices are in %s: %s", (text, currency, expected) => {
  expect(namesOtherCurrency(text, currency)).toBe(expected);
});
