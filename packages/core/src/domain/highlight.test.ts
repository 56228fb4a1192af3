import { expect, it } from "vitest";
import { createHighlight } from "./highlight.ts";

const highlight = (text: string, query: string) => createHighlight(query)(text);

it("marks the words of the query in any of their forms, and escapes everything else", () => {
  expect(highlight('Mugs & <b>"cups"</b>', "blue mug")).toBe(
    "<mark>Mugs</mark> &amp; &lt;b&gt;&quot;cups&quot;&lt;/b&gt;",
  );
  expect(highlight("Café crème", "CREME cafe")).toBe("<mark>Café</mark> <mark>crème</mark>");
});

it("returns nothing if no word occurs", () => {
  expect(highlight("Teapot", "mug")).toBeUndefined();
  expect(highlight("", "")).toBeUndefined();
});

it("returns the part of a long text around the first word, cut at spaces", () => {
  const filler = "some filler text ".repeat(40);
  const part = highlight(`${filler}mug ${filler}`, "mug") ?? "";
  expect(part).toMatch(/^…(?:some|filler|text) .*<mark>mug<\/mark> .*(?:some|filler|text)…$/);
  expect(part.length).toBeLessThan(230);
});
