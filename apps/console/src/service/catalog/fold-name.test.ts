import { describe, expect, it } from "vitest";
import { spelledAs } from "./fold-name.ts";

describe("the spelling of a query", () => {
  it.each([
    ["kuhltasche profi", ["Kühltasche Profi 7"], "kühltasche profi"],
    ["kuhltasche", ["Kühltaschen"], "kühltasche"],
    ["weisse tasse", ["Tasse, Weiße"], "weiße tasse"],
    ["grosser topf", ["GROSSER Topf", "Größe L"], "grosser topf"],
    ["cafe-tasse", ["Café-Tasse"], "café-tasse"],
    ["rain jacket", ["Regenjacke"], "rain jacket"],
    ["lamp", [], "lamp"],
  ])("%s with %j is %s", (query, names, spelling) => {
    expect(spelledAs(query, names)).toBe(spelling);
  });
});
