import { expect, it } from "vitest";
import { readShopQuestion } from "./shop-question.ts";

it.each([
  ["how many sofas are there?", "count", "sofas"],
  ["so, how many red mugs do you have in total", "count", "red mugs"],
  ["what brands of speakers do you carry?", "brands", "speakers"],
  ["which shoe brands are there", "brands", "shoe"],
  ["who makes your kettles", "brands", "kettles"],
  ["how many brands of bags do you sell", "brands", "bags"],
  ["what kinds of lamps do you offer", "kinds", "lamps"],
  ["what do you sell here?", "kinds", ""],
  ["from what price do your watches start", "prices", "your watches start"],
  ["how much are your sofas", "prices", "sofas"],
  ["do you have tents under 50", "presence", "tents under 50"],
  ["are there any vases", "presence", "any vases"],
])("%s", (request, asks, rest) => {
  const text = request.replaceAll("?", "");
  expect(readShopQuestion(text)).toMatchObject({ asks, rest });
});

it("reads which values of an attribute there are", () => {
  expect(readShopQuestion("which colours do your jackets come in")).toMatchObject({
    asks: { attribute: "color" },
  });
});

it.each(["a sofa", "what kind of bag is good for work", "brands", "show me lamps", "many small cups"])(
  "is not read from a wish: %s",
  (request) => {
    expect(readShopQuestion(request)).toBeUndefined();
  },
);
