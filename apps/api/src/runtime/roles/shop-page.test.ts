import { ApiError } from "@product-search/core/errors.ts";
import { expect, it, vi } from "vitest";
import { callShopPage } from "./shop-page.ts";

it("a page that cannot be rendered is left to the browser, and noted once a minute: anybody can request such pages", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const failures: unknown[] = [
    new ApiError("unavailable", "Too much to do."),
    new Error("1"),
    new Error("2"),
  ];
  const notes: unknown[] = [];
  const call = async (): Promise<never> => {
    throw failures.shift() ?? new Error("later");
  };
  const render = callShopPage({ call }, (error) => notes.push(String(error)));
  const visit = () => render(new URL("http://service.test/shop?products=1"), "203.0.113.7");
  for (let visits = 0; visits < 3; visits++) expect(await visit()).toBeUndefined();
  expect(notes).toEqual(["Error: 1"]);
  vi.advanceTimersByTime(60_000);
  await visit();
  expect(notes).toEqual(["Error: 1", "Error: later"]);
  vi.useRealTimers();
});
