import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { getServerState } from "react-instantsearch";
import { Shop } from "./page.tsx";
import { createShopSearch, openShop, type ShopSettings } from "./shop.ts";

interface ServerSettings extends ShopSettings {
  fetch?: typeof fetch;
}

/** The search page with its first results, in place of the empty root in `index.html`. The browser goes on from there. */
export async function renderSearchPage(url: URL, settings: ServerSettings): Promise<string> {
  openShop(settings);
  const searchClient = createShopSearch(settings);
  const shop = <Shop url={url} searchClient={searchClient} />;
  const state = await getServerState(shop, { renderToString });
  const html = renderToString(
    <StrictMode>
      <Shop url={url} searchClient={searchClient} serverState={state} />
    </StrictMode>,
  );
  // A product's name must not end the script.
  const data = JSON.stringify(state).replaceAll("<", "\\u003c");
  return `<div id="root">${html}</div><script id="server-state" type="application/json">${data}</script>`;
}
