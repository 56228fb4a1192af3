import type { AnswerWriter } from "../../ports/answer-writer.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TextSearch } from "../../ports/text-search.ts";
import type { WriterName } from "./deep-search-event.ts";
import type { Failure } from "./write-checked.ts";

export interface DeepSearchDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "priceHistories">;
  /** Writes whenever the model does not. */
  builtInWriter: AnswerWriter;
  /** A language model, when the operator has set one up. */
  modelWriter?: AnswerWriter | undefined;
  clock: Clock;
  currency: string;
  /** Told of every answer: who wrote it, and why the model did not. */
  onAnswer?: ((writer: WriterName, failure: Failure | undefined) => void) | undefined;
  /** The model's share of the eight seconds that everything may take. */
  modelDeadlineMs?: number;
}
