import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";
import { findRefusals, licencePage, shippedPackages } from "./supply-chain/licences.ts";
import type { Bom, Component } from "./supply-chain/shipped-bom.ts";

/** Of the packages that are installed here. pnpm takes seconds to list them. */
let bom: Bom & { specVersion: string };
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "sbom-"));
  const file = join(folder, "sbom.json");
  execFileSync(process.execPath, [join(root, "scripts/supply-chain/write-sbom.ts"), "--out", file]);
  bom = JSON.parse(readFileSync(file, "utf8"));
  rmSync(folder, { recursive: true });
});

describe("the bill of materials", () => {
  it("lists shipped packages and no tools", () => {
    expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: expect.stringMatching(/^1\.\d$/) });

    const find = (name: string) => bom.components.find((one) => one.name === name);
    const placesOf = (name: string) => find(name)?.properties?.map(({ value }) => value);
    expect(placesOf("fastify")).toEqual(["service"]);
    expect(placesOf("react")).toEqual(["service"]);
    expect(placesOf("prism-http")).toEqual(["mock"]);
    expect(placesOf("openapi-fetch")).toEqual(["client"]);
    for (const tool of ["vitest", "dredd", "verdaccio", "autocannon"]) expect(find(tool)).toBeUndefined();

    const known = new Set(bom.components.map(({ purl }) => purl));
    const named = bom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(named.filter((purl) => !known.has(purl))).toEqual([]);
  });
});

describe("the licences", () => {
  it("of all shipped packages are allowed", () => {
    expect(findRefusals(shippedPackages(bom))).toEqual([]);
  });

  const packageWith = (licence: string, name = "one"): Component => ({
    name,
    version: "1.0.0",
    purl: `pkg:npm/${name}@1.0.0`,
    licenses: licence.includes(" ") ? [{ expression: licence }] : [{ license: { id: licence } }],
    properties: [{ name: "product-search:shipped-in", value: "service" }],
  });
  const refusalsOf = (...components: Component[]) => findRefusals(shippedPackages({ components }));

  it.each(["MIT", "(GPL-3.0-only OR MIT)", "MIT AND ISC"])("%s is allowed", (licence) => {
    expect(refusalsOf(packageWith(licence))).toEqual([]);
  });

  it.each(["GPL-3.0-only", "AGPL-3.0-or-later", "MIT AND GPL-3.0-only", "SSPL-1.0", "UNLICENSED"])(
    "%s is refused",
    (licence) => {
      expect(refusalsOf(packageWith(licence))).toEqual([
        expect.stringContaining(`one 1.0.0 has the licence`),
      ]);
    },
  );

  it("that are unknown are refused", () => {
    expect(refusalsOf({ ...packageWith("MIT"), licenses: [] })).toEqual([
      expect.stringContaining("none named"),
    ]);
  });

  it("can be accepted as an exception for one package and one licence only", () => {
    const name = "@jmespath-community/jmespath";
    expect(refusalsOf(packageWith("MPL-2.0", name))).toEqual([]);
    expect(refusalsOf(packageWith("MPL-2.0"))).toHaveLength(1);
    expect(refusalsOf(packageWith("GPL-3.0-only", name))).toHaveLength(1);
  });

  it("have the same list on every machine", () => {
    const pages = ["darwin-arm64", "linux-x64"].map((platform) =>
      licencePage(shippedPackages({ components: [packageWith("MIT", `native-${platform}`)] })),
    );
    expect(pages[0]).toBe(pages[1]);
  });
});
