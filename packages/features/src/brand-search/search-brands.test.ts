import { describe, expect, test } from "vitest";
import { searchBrands } from "./search-brands.ts";

const publicUrl = "https://shop.example/search";
const finding = (names: string[]) => {
  const asked: [string, number][] = [];
  const findBrands = async (text: string, limit: number) => {
    asked.push([text, limit]);
    return names;
  };
  return { deps: { textSearch: { findBrands }, publicUrl }, asked };
};

describe("searchBrands", () => {
  test("links each brand to its page, best match first", async () => {
    const { deps, asked } = finding(["Nordlys", "NORDLYS Kids & Baby", "Ærø/Ø?#"]);
    expect(await searchBrands(deps, "nordlys")).toEqual([
      { name: "Nordlys", serviceBrandPageUrl: `${publicUrl}/brands/Nordlys` },
      { name: "NORDLYS Kids & Baby", serviceBrandPageUrl: `${publicUrl}/brands/NORDLYS%20Kids%20%26%20Baby` },
      { name: "Ærø/Ø?#", serviceBrandPageUrl: `${publicUrl}/brands/%C3%86r%C3%B8%2F%C3%98%3F%23` },
    ]);
    expect(asked).toEqual([["nordlys", 20]]);
  });

  test("links a name with half a surrogate pair without an error", async () => {
    const [brand] = await searchBrands(finding(["a\ud800"]).deps, "a");
    expect(brand?.serviceBrandPageUrl).toBe(`${publicUrl}/brands/a%EF%BF%BD`);
  });
});
