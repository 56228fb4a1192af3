import { inTurn, presentPayer } from "@product-search/core/mechanisms/fair-queue.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import { composeSynonymFollower } from "../../compose/merchandising.ts";
import { composeLongSearch, type LongSearch } from "../../compose/search/embedded.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { BusClient } from "../bus-client.ts";
import { priced } from "../priced.ts";
import type { Run } from "../role.ts";

/** With the time in which the thread starts, and opens the index. */
const timeoutMs = 10_000;

/** Of one HTTP thread. */
const slots = { slots: 1, maxWaiting: 256, maxWaitingPerCaller: 64 };

/** Searches that would keep an HTTP thread too long, one after the other. */
export const runLongSearch: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const synonyms = await composeSynonymFollower(
    stores,
    {
      reads: false,
      publish: () => {},
      subscribe: (receive) => bus.subscribe("synonymsVersion", receive),
    },
    (error) => logger.warn({ err: error }, "changes of synonyms cannot be read at the moment"),
  );
  const textSearch = composeLongSearch({
    textIndex: (receive) => bus.subscribe("textIndex", receive),
    synonyms: synonyms.subscribe,
  });
  const limits = { concurrency: 1, maxWaiting: 64 };
  bus.serve("searchLong", limits, (query, signal) => priced(() => textSearch.search(query, signal)));
  bus.serve("suggestLong", limits, (query, signal) => priced(() => textSearch.suggest(query, signal)));
  bus.serve("findBrandsLong", limits, ({ text, limit }) => priced(() => textSearch.findBrands(text, limit)));
  return {
    async stop() {
      synonyms.stop();
      await stores.close();
    },
  };
};

/** The same for an HTTP thread, which pays for it. */
export function callLongSearch(bus: BusClient): LongSearch {
  const inSlot = createFairSlots(slots);
  const paid = async <Result>(
    call: () => Promise<{ result: Result; processorMs: number }>,
  ): Promise<Result> => {
    const result = await inSlot(async () => {
      const reply = await call();
      presentPayer()?.charge(reply.processorMs);
      return reply.result;
    });
    return inTurn(result);
  };
  return {
    search: (query, signal) => paid(() => bus.call("searchLong", query, { timeoutMs, signal })),
    suggest: (query, signal) => paid(() => bus.call("suggestLong", query, { timeoutMs, signal })),
    findBrands: (text, limit) => paid(() => bus.call("findBrandsLong", { text, limit }, { timeoutMs })),
  };
}
