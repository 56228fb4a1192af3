// Every widget of the table in docs/instantsearch.md, each in an element of its own.

import { createInsightsClient, createSearchClient } from "@product-search/instantsearch";
import instantsearch from "instantsearch.js";
import * as allWidgets from "instantsearch.js/es/widgets";

const widgets = { ...allWidgets };
const { service, related, grouped } = window.page;
const search = instantsearch({
  indexName: "products",
  searchClient: createSearchClient({ ...service, grouped }),
  insights: { insightsClient: createInsightsClient(service), insightsInitParams: { useCookie: false } },
});
const containerOf = (name) => {
  const container = document.createElement("section");
  container.id = name;
  document.body.append(container);
  return container;
};
const on = (name, options = {}) => widgets[name]({ container: containerOf(name), ...options });
const levels = ["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"];
const text = ({ name }, { html }) => html`<b>${name}</b>`;
const recommended = { objectIDs: [related], limit: 4, templates: { item: text, empty: () => "none" } };

search.addWidgets([
  widgets.configure({ hitsPerPage: 12, attributesToSnippet: ["description:6"] }),
  on("searchBox"),
  on("hits", {
    templates: {
      empty: ({ related = [], correctedQuery }, { html }) =>
        html`<p>Nothing found ${correctedQuery}</p><ul class="related">${related.map(({ name }) => html`<li>${name}</li>`)}</ul>`,
      item: (
        hit,
        { html, components, sendEvent },
      ) => html`<article onClick=${() => sendEvent("click", hit, "Opened")}>
        <h3>${components.Highlight({ hit, attribute: "name" })}</h3>
        <p class="snippet">${components.Snippet({ hit, attribute: "description" })}</p>
        <p class="price">${hit.price}</p>
        <p class="swatches">${(hit.variants ?? []).map(({ attributes }) => html`<i>${attributes.color}</i>`)}</p>
      </article>`,
    },
  }),
  on("refinementList", { attribute: "brand", searchable: true, limit: 5, showMore: true }),
  on("menu", { attribute: "storeName" }),
  on("menuSelect", { attribute: "attributes.color" }),
  on("hierarchicalMenu", { attributes: levels }),
  on("breadcrumb", { attributes: levels }),
  on("rangeInput", { attribute: "price" }),
  on("numericMenu", {
    attribute: "discountVal",
    items: [{ label: "All" }, { label: "10 % off or more", start: 10 }],
  }),
  on("ratingMenu", { attribute: "averageRating" }),
  on("toggleRefinement", { attribute: "onSale", on: "true" }),
  on("sortBy", {
    items: [
      { label: "Best match", value: "products" },
      { label: "Dearest", value: "products/price/desc" },
    ],
  }),
  on("hitsPerPage", {
    items: [
      { label: "12", value: 12, default: true },
      { label: "24", value: 24 },
    ],
  }),
  on("pagination"),
  on("stats"),
  on("currentRefinements"),
  on("clearRefinements"),
  on("queryRuleCustomData", { templates: { default: ({ items }) => JSON.stringify(items) } }),
  // They search once more when others are shown.
  ...(grouped
    ? []
    : [
        widgets.index({ indexName: "products", indexId: "dynamic" }).addWidgets([
          widgets.dynamicWidgets({
            container: containerOf("dynamicWidgets"),
            fallbackWidget: ({ container, attribute }) => widgets.refinementList({ container, attribute }),
            transformItems: (items) => items.filter((item) => item.startsWith("attributes.")),
            widgets: [],
          }),
        ]),
      ]),
  on("autocomplete", {
    indices: [
      {
        indexName: "products",
        indexId: "typed",
        templates: { item: ({ item }, { html }) => html`<b>${item.name}</b>` },
      },
    ],
    showQuerySuggestions: { indexName: "queries" },
  }),
  // InstantSearch cannot show infinite hits on a page where recommendations arrive before the hits.
  ...(related
    ? [
        on("relatedProducts", recommended),
        on("lookingSimilar", recommended),
        on("frequentlyBoughtTogether", recommended),
      ]
    : [
        widgets
          .index({ indexName: "products/price/asc", indexId: "slider" })
          .addWidgets([
            on("rangeSlider", { attribute: "price" }),
            on("infiniteHits", { templates: { item: text } }),
          ]),
      ]),
]);
search.start();
