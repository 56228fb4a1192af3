import type { AnswerWriter, BuiltInAnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { KindFinder } from "@product-search/core/ports/kind-finder.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { WriterName } from "./deep-search-event.ts";
import type { Failure } from "./write-checked.ts";

export interface DeepSearchDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "priceHistories">;
  /** Kinds of product by meaning. Default: only things that the catalog names are known. */
  kindFinder?: KindFinder | undefined;
  /** Writes the answer whenever the model does not. */
  builtInWriter: BuiltInAnswerWriter;
  /** A language model, if the operator has configured one. */
  modelWriter?: AnswerWriter | undefined;
  clock: Clock;
  currency: string;
  /** Before paths of pages and images. */
  publicUrl: string;
  /** Called for every answer: who wrote it, and why not the model. */
  onAnswer?: ((writer: WriterName, failure: Failure | undefined) => void) | undefined;
  /** The time limit of the model, out of eight seconds in total. */
  modelDeadlineMs?: number;
}
