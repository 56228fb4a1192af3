import { expect, it } from "vitest";
import { createRecentProducts } from "./recent-products.ts";

it("keeps the products that were used last, up to a limit of bytes", () => {
  const recent = createRecentProducts<{ name: string }>(1000);
  recent.set(["a", "other a"], { name: "A" });
  recent.set(["b"], { name: "B" });
  expect(recent.get("other a")).toEqual({ name: "A" });
  expect(recent.get("b")).toEqual({ name: "B" });
  expect(recent.hasForgotten()).toBe(false);
  recent.set(["c"], { name: "C" });
  recent.set(["d"], { name: "D" });
  expect(recent.hasForgotten()).toBe(true);
  expect(["a", "other a", "b", "c", "d"].map((key) => recent.get(key)?.name)).toEqual([
    undefined,
    "A",
    "B",
    "C",
    "D",
  ]);
  recent.set(["b"], { name: "B again" });
  expect(recent.get("b")).toEqual({ name: "B again" });
});
