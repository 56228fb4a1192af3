// The widgets of the table in docs/instantsearch.md in Vue, as far as Vue InstantSearch has them.

import { createInsightsClient, createSearchClient } from "@product-search/instantsearch";
import { createApp } from "vue/dist/vue.esm-bundler.js";
import InstantSearch from "vue-instantsearch/vue3/es";

const { service, grouped } = window.page;
const template = `
<ais-instant-search index-name="products" :search-client="searchClient" :insights="insights">
  <ais-configure :hits-per-page.camel="12" :attributes-to-snippet.camel="['description:6']" />
  <section id="searchBox"><ais-search-box /></section>
  <section id="hits"><ais-hits><template v-slot:item="{ item, sendEvent }">
    <article @click="sendEvent('click', item, 'Opened')">
      <h3><ais-highlight :hit="item" attribute="name" /></h3>
      <p class="snippet"><ais-snippet :hit="item" attribute="description" /></p>
      <p class="price">{{ item.price }}</p>
      <p class="swatches"><i v-for="variant in item.variants">{{ variant.attributes.color }}</i></p>
    </article>
  </template></ais-hits></section>
  <section id="refinementList"><ais-refinement-list attribute="brand" searchable :limit="5" show-more /></section>
  <section id="menu"><ais-menu attribute="storeName" /></section>
  <section id="menuSelect"><ais-menu-select attribute="attributes.color" /></section>
  <section id="hierarchicalMenu"><ais-hierarchical-menu :attributes="levels" /></section>
  <section id="breadcrumb"><ais-breadcrumb :attributes="levels" /></section>
  <section id="rangeInput"><ais-range-input attribute="price" /></section>
  <section id="numericMenu"><ais-numeric-menu attribute="discountVal"
    :items="[{ label: 'All' }, { label: '10 % off or more', start: 10 }]" /></section>
  <section id="ratingMenu"><ais-rating-menu attribute="averageRating" /></section>
  <section id="toggleRefinement"><ais-toggle-refinement attribute="onSale" on="true" label="On sale" /></section>
  <section id="sortBy"><ais-sort-by
    :items="[{ label: 'Best match', value: 'products' }, { label: 'Dearest', value: 'products/price/desc' }]" /></section>
  <section id="hitsPerPage"><ais-hits-per-page
    :items="[{ label: '12', value: 12, default: true }, { label: '24', value: 24 }]" /></section>
  <section id="pagination"><ais-pagination /></section>
  <section id="stats"><ais-stats /></section>
  <section id="currentRefinements"><ais-current-refinements /></section>
  <section id="clearRefinements"><ais-clear-refinements /></section>
  <section id="queryRuleCustomData"><ais-query-rule-custom-data><template v-slot:item="{ item }">
    {{ item }}
  </template></ais-query-rule-custom-data></section>
  <section id="dynamicWidgets" v-if="!grouped"><ais-index index-name="products" index-id="dynamic">
    <ais-dynamic-widgets :transform-items="attributesOnly">
      <ais-refinement-list attribute="attributes.color" /><ais-refinement-list attribute="attributes.size" />
    </ais-dynamic-widgets>
  </ais-index></section>
  <section id="autocomplete"><ais-index index-name="queries" index-id="typed">
    <ais-autocomplete><template v-slot="{ indices, refine }">
      <input @input="refine($event.target.value)">
      <ul v-for="{ hits } in indices"><li v-for="hit in hits">{{ hit.query }}</li></ul>
    </template></ais-autocomplete>
  </ais-index></section>
  <section id="infiniteHits"><ais-index index-name="products/price/asc" index-id="infinite">
    <ais-infinite-hits><template v-slot:item="{ item }"><b>{{ item.name }}</b></template></ais-infinite-hits>
  </ais-index></section>
</ais-instant-search>`;

createApp({
  template,
  data: () => ({
    searchClient: createSearchClient({ ...service, grouped }),
    insights: { insightsClient: createInsightsClient(service), insightsInitParams: { useCookie: false } },
    levels: ["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"],
    attributesOnly: (items) => items.filter((item) => item.startsWith("attributes.")),
    grouped,
  }),
})
  .use(InstantSearch)
  .mount(document.body.appendChild(document.createElement("div")));
