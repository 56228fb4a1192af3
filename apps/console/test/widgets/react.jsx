// The widgets of the table in docs/instantsearch.md in React, with hooks where React InstantSearch has no component.

import { createInsightsClient, createSearchClient } from "@product-search/instantsearch";
import { connectRatingMenu } from "instantsearch.js/es/connectors";
import { createRoot } from "react-dom/client";
import * as widgets from "react-instantsearch";

const { service, related, grouped } = window.page;
const searchClient = createSearchClient({ ...service, grouped });
const insights = {
  insightsClient: createInsightsClient(service),
  insightsInitParams: { useCookie: false },
};
const levels = ["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"];

const Name = ({ hit, item = hit }) => <b>{item.name}</b>;
const recommended = { objectIDs: [related], limit: 4, itemComponent: Name, emptyComponent: () => "none" };

function Product({ hit, sendEvent }) {
  return (
    <article>
      <h3>
        <button type="button" onClick={() => sendEvent("click", hit, "Opened")}>
          <widgets.Highlight hit={hit} attribute="name" />
        </button>
      </h3>
      <p className="snippet">
        <widgets.Snippet hit={hit} attribute="description" />
      </p>
      <p className="price">{hit.price}</p>
      <p className="swatches">
        {(hit.variants ?? []).map(({ _id, attributes }) => (
          <i key={_id}>{attributes.color}</i>
        ))}
      </p>
    </article>
  );
}

function MenuSelect() {
  const { items, refine } = widgets.useMenu({ attribute: "attributes.color" });
  return (
    <select onChange={({ target }) => refine(target.value)}>
      <option value="">All</option>
      {items.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function RangeSlider() {
  const { range, canRefine } = widgets.useRange({ attribute: "price" });
  return canRefine && <input type="range" className="rheostat-handle" min={range.min} max={range.max} />;
}

const reductions = [{ label: "All" }, { label: "10 % off or more", start: 10 }];
function NumericMenu() {
  const { items, refine } = widgets.useNumericMenu({ attribute: "discountVal", items: reductions });
  return items.map(({ value, label, isRefined }) => (
    <label key={value}>
      <input type="radio" checked={isRefined} onChange={() => refine(value)} />
      {label}
    </label>
  ));
}

function RatingMenu() {
  const { items, refine } = widgets.useConnector(connectRatingMenu, { attribute: "averageRating" });
  return items.map(({ value, label }) => (
    <a key={value} href={`#${value}`} onClick={() => refine(value)}>
      {label}
    </a>
  ));
}

const QueryRuleCustomData = () => JSON.stringify(widgets.useQueryRules({}).items);
const attributesOnly = (items) => items.filter((item) => item.startsWith("attributes."));
const fallback = ({ attribute }) => <widgets.RefinementList attribute={attribute} />;
const typed = [{ indexName: "products", indexId: "typed", itemComponent: Name }];
const sorts = [
  { label: "Best match", value: "products" },
  { label: "Dearest", value: "products/price/desc" },
];
const counts = [
  { label: "12", value: 12, default: true },
  { label: "24", value: 24 },
];

const shown = {
  searchBox: <widgets.SearchBox />,
  hits: <widgets.Hits hitComponent={Product} />,
  refinementList: <widgets.RefinementList attribute="brand" searchable limit={5} showMore />,
  menu: <widgets.Menu attribute="storeName" />,
  menuSelect: <MenuSelect />,
  hierarchicalMenu: <widgets.HierarchicalMenu attributes={levels} />,
  breadcrumb: <widgets.Breadcrumb attributes={levels} />,
  rangeInput: <widgets.RangeInput attribute="price" />,
  numericMenu: <NumericMenu />,
  ratingMenu: <RatingMenu />,
  toggleRefinement: <widgets.ToggleRefinement attribute="onSale" on="true" />,
  sortBy: <widgets.SortBy items={sorts} />,
  hitsPerPage: <widgets.HitsPerPage items={counts} />,
  pagination: <widgets.Pagination />,
  stats: <widgets.Stats />,
  currentRefinements: <widgets.CurrentRefinements />,
  clearRefinements: <widgets.ClearRefinements />,
  queryRuleCustomData: <QueryRuleCustomData />,
  ...(!grouped && {
    dynamicWidgets: (
      <widgets.Index indexName="products" indexId="dynamic">
        <widgets.DynamicWidgets transformItems={attributesOnly} fallbackComponent={fallback} />
      </widgets.Index>
    ),
  }),
  autocomplete: (
    <widgets.Autocomplete
      indices={typed}
      showQuerySuggestions={{ indexName: "queries", itemComponent: ({ item }) => item.query }}
    />
  ),
  ...(related
    ? {
        relatedProducts: <widgets.RelatedProducts {...recommended} />,
        lookingSimilar: <widgets.LookingSimilar {...recommended} />,
        frequentlyBoughtTogether: <widgets.FrequentlyBoughtTogether {...recommended} />,
      }
    : {
        rangeSlider: (
          <widgets.Index indexName="products/price/asc" indexId="slider">
            <RangeSlider />
          </widgets.Index>
        ),
        infiniteHits: (
          <widgets.Index indexName="products/price/asc" indexId="infinite">
            <widgets.InfiniteHits hitComponent={Name} />
          </widgets.Index>
        ),
      }),
};

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <widgets.InstantSearch indexName="products" searchClient={searchClient} insights={insights}>
    <widgets.Configure hitsPerPage={12} attributesToSnippet={["description:6"]} />
    {Object.entries(shown).map(([name, widget]) => (
      <section key={name} id={name}>
        {widget}
      </section>
    ))}
  </widgets.InstantSearch>,
);
