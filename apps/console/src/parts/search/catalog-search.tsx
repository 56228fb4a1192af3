import type { CatalogQuery } from "@product-search/client";
import { useLocation } from "wouter";
import { productPath } from "../../service/product/use-product.ts";
import { hasFilters, noFilters, toCatalogQuery } from "../../service/search/catalog-address.ts";
import {
  type Suggestion,
  useCatalogAddress,
  useCategorySamples,
  useExampleQueries,
} from "../../service/search/use-catalog.ts";
import type { RequestSnippet } from "../../service/snippets.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { EmptyNotice } from "../notice.tsx";
import { CatalogResults } from "./catalog-results.tsx";
import { SuggestField } from "./suggest-field.tsx";
import { Welcome } from "./welcome.tsx";

/** With a token: the whole catalog. The page's URL is the search. */
export function CatalogSearch() {
  const [address, change] = useCatalogAddress();
  const [, navigate] = useLocation();
  const query = toCatalogQuery(address);
  const isAsked = address.q.trim() !== "" || hasFilters(address);
  const categories = useCategorySamples(!isAsked);
  const examples = useExampleQueries(categories.topics);
  const choose = (suggestion: Suggestion) => {
    const { kind, text } = suggestion;
    switch (kind) {
      case "product":
        return navigate(productPath(suggestion.product));
      case "query":
        return change({ q: text, literal: "" });
      case "brand":
        return change({ ...noFilters, q: "", literal: "", brands: [text] });
      case "category":
        return change({ ...noFilters, q: "", literal: "", categories: [text] });
      default:
        return kind satisfies never;
    }
  };
  return (
    <>
      <section className={isAsked ? "hero compact" : "hero"}>
        <SearchHeading isAsked={isAsked} q={address.q} />
        <SuggestField
          placeholder={examples[0] ?? "Search products"}
          value={address.q}
          onSearch={(q) => change({ q, literal: "" })}
          onChoose={choose}
        />
      </section>
      {!isAsked && (
        <Welcome
          categories={categories}
          examples={examples}
          onChoose={(q) => change({ q })}
          onCategory={(name) => change({ categories: [name] })}
        />
      )}
      {isAsked && query && <CatalogResults address={address} onChange={change} />}
      {isAsked && !query && (
        <EmptyNotice title="The price range is not valid">
          <p>Prices are numbers such as 20 or 19.99, the lower one first.</p>
          <button type="button" onClick={() => change({ min: "", max: "" })}>
            Remove the price range
          </button>
        </EmptyNotice>
      )}
      {query && <DeveloperPanel requests={requestsFor(query)} />}
    </>
  );
}

/** The room is the results' once something is asked for: the heading stays for those who do not see the page. */
export function SearchHeading({ isAsked, q }: { isAsked: boolean; q: string }) {
  if (!isAsked) return <h1>What are you looking for?</h1>;
  return <h1 className="visually-hidden">{q.trim() === "" ? "Search results" : `Results for “${q}”`}</h1>;
}

function rangesOf(ranges: CatalogQuery["ranges"]): string | undefined {
  const bounds = Object.entries(ranges ?? {});
  if (bounds.length === 0) return undefined;
  return bounds.map(([name, [min = "", max = ""]]) => `${escaped(name)}:[${min},${max}]`).join();
}

function requestsFor(query: CatalogQuery): [RequestSnippet, ...RequestSnippet[]] {
  const { priceRange, brands, categories, stores, attributes, availability, ...others } = query;
  const { facets, facetQuery, include, notBrands, notCategories, notStores, notAttributes, ranges, ...rest } =
    others;
  const { page, ...everything } = query;
  const request = { method: "GET", path: "/search/catalog", needsToken: true } as const;
  const parameters = {
    ...rest,
    priceRange: priceRange && `[${priceRange.join(",")}]`,
    brands: listOf(brands),
    categories: listOf(categories),
    stores: listOf(stores),
    availability: availability?.join(),
    attributes: pairsOf(attributes),
    notBrands: listOf(notBrands),
    notCategories: listOf(notCategories),
    notStores: listOf(notStores),
    notAttributes: pairsOf(notAttributes),
    ranges: rangesOf(ranges),
    facets: listOf(facets),
    facetQuery: facetQuery && `${escaped(facetQuery.facet)}:${escaped(facetQuery.text)}`,
    include: include?.join(),
  };
  return [
    {
      ...request,
      title: "This page",
      query: parameters,
      call: `searchCatalog(${JSON.stringify(query)})`,
    },
    {
      ...request,
      title: "All pages",
      query: { ...parameters, page: undefined },
      call: `for await (const { Products } of client.catalogPages(${JSON.stringify(everything)})) console.log(Products.length);`,
    },
  ];
}

function pairsOf(attributes: CatalogQuery["attributes"]): string | undefined {
  const pairs = Object.entries(attributes ?? {}).flatMap(([name, values]) =>
    values.map((value) => `${escaped(name)}:${escaped(value)}`),
  );
  return pairs.length === 0 ? undefined : pairs.join();
}

function escaped(text: string): string {
  return text.replace(/[\\,:]/g, "\\$&");
}

/** A comma inside a name is written `\,`. */
function listOf(names: readonly string[] | undefined): string | undefined {
  return names?.map((name) => name.replace(/[\\,]/g, "\\$&")).join();
}
