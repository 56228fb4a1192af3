import { type Bom, type Component, nameOf } from "./shipped-bom.ts";

export interface Shipped {
  name: string;
  version: string;
  licence: string;
  shippedIn: string[];
}

/**
 * Shipped packages with their licences. A package for one platform represents all platforms, so that every machine
 * gets the same list.
 */
export function shippedPackages({ components }: Pick<Bom, "components">): Shipped[] {
  const packages = components.map((component) => ({
    name: nameOf(component).replace(/-(darwin|linux|linuxmusl|win32)-(arm|arm64|x64|ia32)$/, ""),
    version: component.version,
    licence: clarified[nameOf(component)] ?? licenceOf(component),
    shippedIn: (component.properties ?? []).map(({ value }) => value),
  }));
  const byKey = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
}

function licenceOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  return names.join(" AND ") || "none named";
}

/** One sentence for each package that must not be shipped; empty if there is none. */
export function findRefusals(packages: readonly Shipped[]): string[] {
  return packages
    .filter(({ name, licence }) => !isAllowed(licence) && exceptions[name]?.licence !== licence)
    .map(
      ({ name, version, licence }) =>
        `${name} ${version} has the licence "${licence}", which scripts/supply-chain/licences.ts does not allow.`,
    );
}

/** Of alternatives, one must be allowed; of combined licences, all. */
function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((licence) => allowedLicences.has(licence)));
}

/** The page that lists shipped packages. */
export function licencePage(packages: readonly Shipped[]): string {
  const rows = packages.map(
    ({ name, version, licence, shippedIn }) =>
      `| ${name} | ${version} | ${licence}${exceptions[name] ? " ¹" : ""} | ${shippedIn.join(", ")} |`,
  );
  const reasons = Object.entries(exceptions).map(([name, { reason }]) => `- ${name}: ${reason}.`);
  return `# Licences of what is shipped

Made by \`pnpm check-licences --out licences.md\` from what is installed.

"service" is installed beside the service, the console's page included. "client" and "mock" are bundled into these
packages. The weights of the image model were trained on the photographs in its
model card (packages/vision/MODEL_CARD.md). The encoder of texts and the lists of words
come from the works in their notices (NOTICE.md of packages/word-meaning and packages/text-search). Node itself is MIT licensed.

| package | version | licence | shipped in |
| --- | --- | --- | --- |
${rows.join("\n")}

¹ Not on the list of allowed licences, but accepted:

${reasons.join("\n")}
`;
}

/** Licences that shipped packages may have, by their SPDX names. All allow use and redistribution together with MIT. */
const allowedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

interface Exception {
  licence: string;
  reason: string;
}

/** Packages that are allowed although their licence is not in the list, each with the reason. */
const exceptions: Readonly<Record<string, Exception>> = {
  "@img/sharp-libvips": {
    licence: "LGPL-3.0-or-later",
    reason: "a shared library in a package of its own, loaded at run time, which anyone may replace",
  },
  "@jmespath-community/jmespath": {
    licence: "MPL-2.0",
    reason: "used unchanged; the licence covers its own files only",
  },
  "dictionary-en": {
    licence: "(MIT AND BSD)",
    reason:
      "a list of words, used unchanged; its parts ask for their notices, which the package brings along",
  },
};

/** Licences of packages whose package.json has no SPDX name; read from their licence files. */
const clarified: Readonly<Record<string, string>> = {
  "compute-gcd": "MIT",
  "compute-lcm": "MIT",
  usearch: "Apache-2.0",
  "validate.io-function": "MIT",
  "validate.io-integer": "MIT",
  "validate.io-integer-array": "MIT",
  "validate.io-number": "MIT",
};
