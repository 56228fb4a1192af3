import { describe, expect, it } from "vitest";
import { escapeName, readNameList, splitEscaped } from "./name-list.ts";

describe("a list of names", () => {
  it.each([
    ["Nordlys", ["Nordlys"]],
    ["Nordlys,Noctis", ["Nordlys", "Noctis"]],
    ["Nordlys, Noctis ", ["Nordlys", "Noctis"]],
    ["Smith\\, Wesson,Noctis", ["Smith, Wesson", "Noctis"]],
    ["a\\\\,b", ["a\\", "b"]],
    ["a\\\\\\,b", ["a\\,b"]],
    ["AC\\DC", ["AC\\DC"]],
    ["a\\", ["a\\"]],
    ["\\,", [","]],
    ["日本,Größe", ["日本", "Größe"]],
  ])("%s", (list, names) => {
    expect(readNameList("brands", splitEscaped(list, ","))).toEqual(names);
  });

  it.each(["", ",", "a,", ",a", "a,,b", " ", "a, ,b"])("has no empty names: %j", (list) => {
    expect(() => readNameList("brands", splitEscaped(list, ","))).toThrow(/^brands: has an empty name/);
  });

  it.each(["Nordlys", "Smith, Wesson", "a\\", "a\\,b", "AC\\DC"])("%s as one entry", (name) => {
    expect(readNameList("brands", [escapeName(name)])).toEqual([name]);
  });
});
