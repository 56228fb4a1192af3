/** How a language joins words into one: "Schreibtisch" and "Lampe" are "Schreibtischlampe". */
export interface CompoundRules {
  /** What may be between the parts; the empty string is one of them. */
  readonly links: readonly string[];
  /** First parts that are rarely words of their own: "Steh" in "Stehlampe". */
  readonly firstParts: ReadonlySet<string>;
  /** Terms that are endings as well ("praktisch" has no "Tisch"): before them, the first part must be a known word. */
  readonly doubtfulHeads: ReadonlySet<string>;
  /** Terms of compounds that are not what their last part says: a "Handschuh" is no "Schuh". */
  readonly opaque: readonly string[];
}
