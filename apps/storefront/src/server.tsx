import { createClient } from "@product-search/client";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { getServerState } from "react-instantsearch";
import { type ServerState, Shop } from "./page.tsx";
import { findProduct, productIn } from "./pages/product-page.tsx";
import { createShopSearch, openShop, pathIn, type ShopSettings } from "./shop.ts";

interface ServerSettings extends ShopSettings {
  fetch?: typeof fetch;
}

/**
 * The search page with its first results, or the page of a product: in place of the empty root in `index.html`. The browser goes on
 * from there, and requests nothing again.
 */
export async function renderPage(url: URL, settings: ServerSettings) {
  openShop(settings);
  const searchClient = createShopSearch(settings);
  const productId = productIn(pathIn(url.pathname));
  const state: ServerState =
    productId === undefined
      ? await getServerState(<Shop url={url} searchClient={searchClient} />, { renderToString })
      : { given: await findProduct(createClient({ ...settings, retries: 0 }), productId) };
  const html = renderToString(
    <StrictMode>
      <Shop url={url} searchClient={searchClient} serverState={state} />
    </StrictMode>,
  );
  // A product's name must not end the script.
  const data = JSON.stringify(state).replaceAll("<", "\\u003c");
  return {
    status: state.given && !state.given.product ? 404 : 200,
    content: `<div id="root">${html}</div><script id="server-state" type="application/json">${data}</script>`,
    slug: state.given?.product?.slug,
  };
}
