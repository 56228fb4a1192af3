import type { SuggestionsResponse } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

const pauseMs = 80;
const maxLength = 100;

/** One line of the list below the search field. */
export type Suggestion =
  | { kind: "query"; text: string }
  | { kind: "brand"; text: string }
  | { kind: "category"; text: string }
  | { kind: "product"; text: string; product: SuggestionsResponse["Products"][number] };

/** What the typed text may become. None while it is empty, and none when the service fails: one can search all the same. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const { client } = useService();
  const isAsked = isWanted && text.trim() !== "" && [...text].length <= maxLength;
  const request = useRequest(
    isAsked ? text : undefined,
    (signal) => client.suggest({ q: text }, { signal }),
    pauseMs,
  );
  return isAsked && request.response ? toSuggestions(request.response) : [];
}

function toSuggestions({ queries, brands, categories, Products }: SuggestionsResponse): Suggestion[] {
  return [
    ...queries.map((query) => ({ kind: "query", text: query }) as const),
    ...categories.map((text) => ({ kind: "category", text }) as const),
    ...brands.map(({ name }) => ({ kind: "brand", text: name }) as const),
    ...Products.map((product) => ({ kind: "product", text: product.name, product }) as const),
  ];
}
