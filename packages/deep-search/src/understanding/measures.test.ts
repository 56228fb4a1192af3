import { describe, expect, it } from "vitest";
import { measuresIn, statesMeasure } from "./measures.ts";

describe("measures in a request", () => {
  it.each([
    ["a backpack for my 8 year old niece", ["8 year old"]],
    ["kettle with a 2-year warranty", ["2 year warranty"]],
    ["a watch, water resistant to 50m", ["to 50m"]],
    ["headphones with more than 24 hours of battery", ["more than 24 hours"]],
    ["a desk for 2 people", ["2 people"]],
    ["a tent for 2", ["2"]],
    ["a 15 inch sleeve of 300 g", ["15 inch", "300 g"]],
    ["a rug 160 x 230 cm", ["160 x 230 cm"]],
    ["shoes in size 42", []],
    ["6 dining chairs", []],
  ])("%s", (text, measures) => {
    expect(measuresIn(text).map((words) => words.join(" "))).toEqual(measures);
  });
});

describe("a text", () => {
  it.each([
    ["Serves four, fine strainer", ["4"], true],
    ["Holds 350 ml", ["350ml"], true],
    ["30 hours of battery", ["30", "hours"], true],
    ["Carenro 8 Running Shoes for every year", ["8", "year"], false],
    ["30 hours of battery", ["more", "than", "24", "hours"], true],
    ["30 hours of battery", ["at", "most", "24", "hours"], false],
    ["Water resistant to 100 metres", ["to", "50m"], true],
    ["Water resistant to 100 metres", ["at", "least", "200", "m"], false],
    ["Serves four, fine strainer", ["4", "people"], true],
    ["Ilvia 4 Teapot, for 2 people", ["4", "people"], false],
  ])("%s", (text, words, states) => {
    expect(statesMeasure(text, words)).toBe(states);
  });
});

it("reads a measure of many words in linear time", () => {
  const measured = `${"1 x ".repeat(20)}1 cm`.split(" ");
  const text = `A rug, ${"one x ".repeat(20)}1cm`;
  const before = process.threadCpuUsage();
  expect(statesMeasure(text, measured)).toBe(true);
  expect(statesMeasure(text, [...measured, "long"])).toBe(false);
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
});
