import { ApiError } from "@product-search/core/errors.ts";
import { presentPayer } from "@product-search/core/mechanisms/fair-queue.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import { builtFile, type RenderedShopPage, type RenderShop } from "../../http/pages/console-pages.ts";
import type { BusClient } from "../bus-client.ts";
import { priced } from "../priced.ts";
import type { Run } from "../role.ts";

/** With the time in which the thread starts. Later, the page renders itself in the browser. */
const timeoutMs = 2000;

/** Anybody can request pages that cannot be rendered: not each of them is in the log. */
const noteEveryMs = 60_000;

/** Of one HTTP thread. */
const slots = { slots: 1, maxWaiting: 16, maxWaitingPerCaller: 4 };

/** The shop page as it was built for servers. */
interface BuiltShop {
  renderPage(
    url: URL,
    settings: { baseUrl: string; token: string; currency: string; fetch: typeof fetch },
  ): Promise<RenderedShopPage>;
}

/** Renders pages of the shop, one after the other. An HTTP thread handles their requests, as if the visitor had sent them. */
export const runShopPage: Run = async ({ config, bus }) => {
  const { currency, publicUrl, shopToken: token = "" } = config;
  const { renderPage }: BuiltShop = await import(builtFile("storefront", "server/server.js").href);
  const baseUrl = `${publicUrl}/api/v1`;
  bus.serve("renderShop", { concurrency: 1, maxWaiting: 64 }, ({ url, address }, signal) => {
    const requestAsVisitor: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const method = request.method === "GET" ? "GET" : "POST";
      const visit = { method, url: pathname + search, body: await request.text(), address, token } as const;
      const { status, body } = await bus.call("requestForShop", visit, { timeoutMs, signal });
      // Then the page is rendered in the browser.
      if (status !== 200 && status !== 404)
        throw new Error(`A request of the shop page was refused with ${status}.`);
      return new Response(body, { status, headers: { "content-type": "application/json" } });
    };
    return priced(() => renderPage(new URL(url), { baseUrl, token, currency, fetch: requestAsVisitor }));
  });
  return { async stop() {} };
};

/** The same for an HTTP thread, which pays for it. */
export function callShopPage(bus: Pick<BusClient, "call">, onError: (error: unknown) => void): RenderShop {
  const inSlot = createFairSlots(slots);
  let nextNoteMs = 0;
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
      if (!(error instanceof ApiError) && performance.now() >= nextNoteMs) {
        nextNoteMs = performance.now() + noteEveryMs;
        onError(error);
      }
      return undefined;
    }
  };
}
