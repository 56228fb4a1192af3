/** Licences that shipped packages may have, by their SPDX names. All allow use and redistribution together with MIT. */
export const allowedLicences: ReadonlySet<string> = new Set([
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

export interface Exception {
  licence: string;
  reason: string;
}

/** Packages that are allowed although their licence is not in the list, each with the reason. */
export const exceptions: Readonly<Record<string, Exception>> = {
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
export const clarified: Readonly<Record<string, string>> = {
  "compute-gcd": "MIT",
  "compute-lcm": "MIT",
  usearch: "Apache-2.0",
  "validate.io-function": "MIT",
  "validate.io-integer": "MIT",
  "validate.io-integer-array": "MIT",
  "validate.io-number": "MIT",
};
