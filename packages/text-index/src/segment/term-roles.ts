import type { Language } from "../language/language.ts";
import { tokenize } from "../text/tokenize.ts";
import type { Sections } from "./segment-layout.ts";
import { type NameKind, nameKinds, tablesOf } from "./segment-tables.ts";
import type { Steps } from "./steps.ts";
import { indexOfString, stringAt } from "./string-table.ts";

const documentsBetweenPauses = 20_000;

/**
 * Counts for each term the products whose names contain it, and those in which it is the thing itself: the last word
 * of the name's head ("lamp" in "Brass Desk Lamp with Dimmer") or of the category. The weights of a query's words
 * depend on it.
 */
export function* fillTermRoles(sections: Sections, languages: readonly Language[]): Steps<void> {
  yield* countNames(sections);
  for (const kind of nameKinds) {
    countShared(sections, kind, languages);
    yield;
  }
}

function* countNames({
  nameOffsets,
  nameWords,
  nameHeads,
  wordTerms,
  termNamed,
  termThings,
}: Sections): Steps<void> {
  for (let doc = 0; doc < nameHeads.length; doc++) {
    const start = nameOffsets[doc] ?? 0;
    const end = nameOffsets[doc + 1] ?? 0;
    for (let at = start; at < end; at++) {
      const term = wordTerms[nameWords[at] ?? 0] ?? 0;
      termNamed[term] = (termNamed[term] ?? 0) + 1;
    }
    const headAt = start + (nameHeads[doc] ?? 0) - 1;
    if (headAt >= start && headAt < end) {
      const term = wordTerms[nameWords[headAt] ?? 0] ?? 0;
      termThings[term] = (termThings[term] ?? 0) + 1;
    }
    if (doc % documentsBetweenPauses === 0) yield;
  }
}

/** There are few brands, categories and stores: their words are looked up once for all their products. */
function countShared(sections: Sections, kind: NameKind, languages: readonly Language[]): void {
  const tables = tablesOf(sections);
  const documents = new Uint32Array(tables[kind].offsets.length - 1);
  for (const name of sections[kind]) documents[name] = (documents[name] ?? 0) + 1;
  documents.forEach((count, name) => {
    const text = stringAt(tables[kind], name);
    const words = tokenize(kind === "categories" ? (text.split(">").at(-1) ?? "") : text);
    words.forEach((word, i) => {
      for (const text of new Set(languages.map(({ termOf }) => termOf(word)))) {
        const term = indexOfString(tables.terms, text);
        if (term < 0) continue;
        sections.termNamed[term] = (sections.termNamed[term] ?? 0) + count;
        if (kind === "categories" && i === words.length - 1)
          sections.termThings[term] = (sections.termThings[term] ?? 0) + count;
      }
    });
  });
}
