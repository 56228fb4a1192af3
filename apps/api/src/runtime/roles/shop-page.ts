import { ApiError } from "@product-search/core/errors.ts";
import { presentPayer } from "@product-search/core/mechanisms/fair-queue.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import { builtFile, type RenderShop } from "../../http/pages/console-pages.ts";
import type { BusClient } from "../bus-client.ts";
import { priced } from "../priced.ts";
import type { Run } from "../role.ts";

/** With the time in which the thread starts. Later, the page renders itself in the browser. */
const timeoutMs = 2000;

/** Of one HTTP thread. */
const slots = { slots: 1, maxWaiting: 16, maxWaitingPerCaller: 4 };

/** The shop page as it was built for servers. */
interface BuiltShop {
  renderSearchPage(
    url: URL,
    settings: { baseUrl: string; token: string; currency: string; fetch: typeof fetch },
  ): Promise<string>;
}

/** Renders the search page of the shop, one after the other. An HTTP thread searches, as if the visitor had. */
export const runShopPage: Run = async ({ config, bus }) => {
  const { currency, publicUrl, shopToken: token = "" } = config;
  const { renderSearchPage }: BuiltShop = await import(builtFile("storefront", "server/server.js").href);
  const baseUrl = `${publicUrl}/api/v1`;
  bus.serve("renderShop", { concurrency: 1, maxWaiting: 64 }, ({ url, address }, signal) => {
    const searchAsVisitor: typeof fetch = async (_address, init) => {
      const search = { body: String(init?.body), address, token };
      const { status, body } = await bus.call("searchForShop", search, { timeoutMs, signal });
      // Then the page asks again in the browser.
      if (status !== 200) throw new Error(`The search for the shop page was refused with ${status}.`);
      return new Response(body);
    };
    return priced(() => renderSearchPage(new URL(url), { baseUrl, token, currency, fetch: searchAsVisitor }));
  });
  return { async stop() {} };
};

/** The same for an HTTP thread, which pays for it. */
export function callShopPage(bus: BusClient, onError: (error: unknown) => void): RenderShop {
  const inSlot = createFairSlots(slots);
  return async (url, address) => {
    try {
      return await inSlot(async () => {
        const payer = presentPayer();
        const signal = payer?.leaving();
        const options = { timeoutMs, ...(signal && { signal }) };
        const { result, processorMs } = await bus.call("renderShop", { url: url.href, address }, options);
        payer?.charge(processorMs);
        return result;
      });
    } catch (error) {
      if (!(error instanceof ApiError)) onError(error);
      return undefined;
    }
  };
}
