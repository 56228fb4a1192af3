import { createClient } from "@product-search/client";
import { expect, it } from "vitest";
import { inSentence, readShownCategories } from "./shown-categories.ts";

/** A service that has these products in any of two categories. */
const clientWith = (unions: Record<string, number>) =>
  createClient({
    baseUrl: "https://search.example/api/v1",
    token: "x",
    fetch: async (request) => {
      const names = new URL(new Request(request).url).searchParams.get("categories") ?? "";
      return Response.json({ status: "success", Products: [], count: unions[names] ?? 0 });
    },
  });

const read = (client: ReturnType<typeof clientWith>, maxCount: number) =>
  readShownCategories(client, {
    categories: [
      { value: "187", count: 40 },
      { value: "Trail Backpacks", count: 16 },
      { value: "Backpacks", count: 16 },
      { value: "Crew Socks", count: 8 },
      { value: "Socks", count: 8 },
      { value: "Mugs", count: 8 },
    ],
    maxCount,
    grouped: true,
    signal: new AbortController().signal,
  }).then((categories) => categories.map(({ value }) => value));

it("shows categories with names, and one of those with the same products", async () => {
  const client = clientWith({ "Backpacks,Trail Backpacks": 16, "Socks,Crew Socks": 12 });
  expect(await read(client, 12)).toEqual(["Backpacks", "Crew Socks", "Socks", "Mugs"]);
  expect(await read(client, 2)).toEqual(["Backpacks", "Crew Socks"]);
});

it.each([
  ["Rain Coats", "rain coats"],
  ["Kühltaschen", "kühltaschen"],
  ["T-Shirts", "T-shirts"],
  ["TVs & USB Cables", "TVs & USB cables"],
  ["iPhone cases", "iPhone cases"],
])("%s is %s inside a sentence", (name, text) => {
  expect(inSentence(name)).toBe(text);
});
