import { describe, expect, test } from "vitest";
import { compileExpression } from "./expression.ts";

describe("compileExpression", () => {
  test.each<[string, unknown]>([
    ["a.b", 1],
    ["missing.field", null],
    ["list[].n", [1, 2]],
    ["[list[0].n, list[1].n][]", [1, 2]],
    ["list[?n > `1`].n", [2]],
    ["missing || 'text'", "text"],
    ["not_null(missing, a.b)", 1],
  ])("%s", (expression, value) => {
    expect(compileExpression(expression)({ a: { b: 1 }, list: [{ n: 1 }, { n: 2 }] })).toEqual(value);
  });

  test.each([
    ["a[", /not a JMESPath expression/],
    ["", /not a JMESPath expression/],
    ["let $x = a in $x", /uses LetExpression/],
    ["$.a", /uses Root/],
    ["to_string(a)", /calls to_string\(\)/],
    ["join(a, b)", /calls join\(\)/],
    ["pad_left(a, `1000000000`)", /calls pad_left\(\)/],
    ["map(&a, b)", /calls map\(\)/],
    ["{x: a}", /uses MultiSelectHash/],
    ["a + b", /uses Arithmetic/],
    ["[@,@][] | [@,@][] | [@,@][]", /lists of the form/],
    ["[a,a,a,a,a,a,a,a,a]", /list of more than/],
    ["a".repeat(301), /longer than/],
    [Array.from({ length: 61 }, () => "a").join("."), /nodes; at most/],
  ])("refuses %s", (expression, message) => {
    expect(() => compileExpression(expression)).toThrow(message);
  });

  test("the most expensive allowed expression is fast on a large response", () => {
    const large = Array.from({ length: 5000 }, (_, n) => ({ n }));
    const worst = compileExpression("[@,@,@,@,@,@,@,@][] | [@,@,@,@,@,@,@,@][] | [].n");
    expect(worst(large)).toHaveLength(5000 * 64);
  });
});
