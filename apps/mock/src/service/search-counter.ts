import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type InsightStore,
  type NamedSearch,
  type QueryIds,
  queryIdLifetimeMs,
  type SearchCounter,
} from "@product-search/core/ports/insights.ts";
import { toCount } from "@product-search/features/insights/collect-counts.ts";
import { createSearchCounter } from "@product-search/features/insights/count-searches.ts";
import type { Identifiers } from "./identifiers.ts";

export interface MockCounterDeps {
  insightStore: InsightStore;
  identifiers: Identifiers;
  clock: Clock;
}

/** The service's own counter, which stores at once: a test need not wait. A text that is continued is one more search. */
export function createMockCounter({ insightStore, identifiers, clock }: MockCounterDeps): SearchCounter {
  const { flush, countSearch, countEvents } = createSearchCounter({
    queryIds: createMockQueryIds(identifiers, clock),
    clock,
    send: (searches) => void insightStore.addSearches(searches.map(toCount)),
    addEvents: (events) => insightStore.addEvents(events),
    // The mock keeps no secrets.
    hashPersonal: (text, of) => JSON.stringify([text, of]),
  });
  return {
    countSearch(search) {
      const queryId = countSearch(search);
      flush();
      return queryId;
    },
    countEvents,
  };
}

const prefix = "qid_";

/** Not encrypted: a mock has nothing to hide. */
function createMockQueryIds({ newId }: Identifiers, clock: Clock): QueryIds {
  return {
    make({ atMs, text }) {
      const query = text.kind === "kept" ? text.query : text.kind === "counted" ? "\0" : "";
      return `${newId(prefix)}.${Buffer.from(`${atMs} ${query}`).toString("base64url")}`;
    },
    read(queryId) {
      const [id = "", content = ""] = queryId.split(".");
      const [, seconds, query = ""] =
        /^(\d+) (.*)$/s.exec(Buffer.from(content, "base64url").toString()) ?? [];
      const atMs = Number(seconds);
      if (!id.startsWith(prefix) || !(clock.now() - atMs <= queryIdLifetimeMs)) return undefined;
      return { id, search: { atMs, text: textOf(query) } };
    },
  };
}

function textOf(query: string): NamedSearch["text"] {
  if (query === "") return { kind: "none" };
  return query === "\0" ? { kind: "counted" } : { kind: "kept", query };
}
