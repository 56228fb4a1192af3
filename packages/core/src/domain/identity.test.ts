import { describe, expect, test } from "vitest";
import { idPrefixOfSlug, productId, productSlug } from "./identity.ts";

describe("productSlug", () => {
  const slugOf = (name: string) => productSlug("catalog", "k", "0123456789abcdef01234567", name);

  test("consists of the words of the name and the first digits of the identifier", () => {
    expect(slugOf("Crème brûlée – 2 Pack!")).toBe("creme-brulee-2-pack-01234567");
    expect(slugOf("Straße")).toBe("strasse-01234567");
    expect(slugOf("Smørrebrød Łódź")).toBe("smorrebrod-lodz-01234567");
    expect(slugOf("Œuvre d’Æther, Þór & ½ l")).toBe("oeuvre-d-aether-thor-1-2-l-01234567");
    expect(slugOf("ランプ")).toBe("01234567");
    expect(slugOf("x".repeat(300))).toHaveLength(89);
  });

  test("can be turned back into the identifier", () => {
    expect(idPrefixOfSlug(slugOf("Lamp"))).toBe("01234567");
    expect(idPrefixOfSlug(slugOf("!"))).toBe("01234567");
    expect(idPrefixOfSlug("lamp")).toBeUndefined();
  });
});

describe("productId", () => {
  test("differs by source and key, and is always the same", () => {
    expect(productId("catalog", "a")).toMatch(/^[0-9a-f]{24}$/);
    expect(productId("catalog", "a")).toBe(productId("catalog", "a"));
    expect(productId("catalog", "a")).not.toBe(productId("catalog", "b"));
    expect(productId("marketplace-a", "X 1")).toBe("marketplace-a_X 1");
  });
});
