import type { CatalogQuery, CatalogSearchResponse, Client } from "@product-search/client";
import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Link } from "wouter";
import { formatCount } from "../../service/format.ts";
import { canBeArranged, type Desk, useDesk } from "../../service/merchandising/use-desk.ts";
import { activeFilters, understoodTexts } from "../../service/search/active-filters.ts";
import {
  type CatalogAddress,
  noFilters,
  pageCount,
  resultsPerPage,
  sortingIndex,
  sortings,
  toCatalogQuery,
  writeCatalogAddress,
} from "../../service/search/catalog-address.ts";
import type { ChangeSearch } from "../../service/search/use-catalog.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { Icon } from "../elements.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";
import { FacetPanel, FacetPanelSkeleton } from "./facet-panel.tsx";

// Most people look at results and change nothing.
const loadDesk = () => import("../merchandising/results-desk.tsx");
const DeskPanel = lazy(() => loadDesk().then((m) => ({ default: m.DeskPanel })));
const CardTools = lazy(() => loadDesk().then((m) => ({ default: m.CardTools })));

const maxKept = 20;

const keptByClient = new WeakMap<Client, Map<string, CatalogSearchResponse>>();

interface CatalogResultsProps {
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** The filters on one side, one page of results on the other. */
export function CatalogResults({ address, onChange }: CatalogResultsProps) {
  const search = useCatalogSearch(toCatalogQuery(address));
  const { response, isBusy } = search;
  const isNarrow = useMediaQuery("(max-width: 48rem)");
  const { person } = useService();
  const [wantsDesk, setWantsDesk] = useState(false);
  const mayArrange = canBeArranged(address) && (!person || person.scopes.includes("merchandising"));
  const isArranging = wantsDesk && mayArrange;
  const desk = useDesk(address, isArranging);
  const head = useRef<HTMLDivElement>(null);
  // A page that was turned begins at its beginning; where Back leads to, the browser knows.
  const scrollToHead = () => {
    head.current?.scrollIntoView({ block: "start" });
  };
  const panel = response?.facets ? (
    <FacetPanel facets={response.facets} address={address} onChange={onChange} />
  ) : (
    search.phase !== "failed" && <FacetPanelSkeleton />
  );
  return (
    <section
      aria-labelledby="results"
      className={isArranging ? "results catalog-results arranging" : "results catalog-results"}
    >
      <h2 id="results" className="visually-hidden">
        Results
      </h2>
      {!isNarrow && !isArranging && <aside aria-label="Filters">{panel}</aside>}
      <div>
        <div className="results-head" ref={head}>
          <p role="status">{search.phase === "failed" ? "" : countText(response)}</p>
          <ActiveFilters address={address} onChange={onChange} />
          <div className="row">
            {isNarrow && panel && (
              <FacetSheet active={activeFilters(address).length} results={response?.count}>
                {panel}
              </FacetSheet>
            )}
            {mayArrange && (
              <button type="button" aria-pressed={isArranging} onClick={() => setWantsDesk(!isArranging)}>
                {isArranging ? "Done" : "Change these results"}
              </button>
            )}
            <SortSelect address={address} onChange={onChange} />
          </div>
        </div>
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {isBusy && !response && <ProductGridSkeleton count={resultsPerPage / 2} />}
        {response && search.phase !== "failed" && (
          <Found
            address={address}
            response={response}
            isBusy={isBusy}
            onChange={onChange}
            onTurn={scrollToHead}
            desk={isArranging ? desk : undefined}
          />
        )}
      </div>
      {isArranging && (
        <aside aria-label="Draft">
          <Suspense>
            <DeskPanel desk={desk} q={address.q} isEmpty={response?.count === 0} />
          </Suspense>
        </aside>
      )}
    </section>
  );
}

interface FoundProps extends CatalogResultsProps {
  response: CatalogSearchResponse;
  isBusy: boolean;
  onTurn: () => void;
  desk: Desk | undefined;
}

function Found({ address, response, isBusy, onChange, onTurn, desk }: FoundProps) {
  const { Products, count, related = [], queryId } = response;
  const { client } = useService();
  const firstPosition = (address.page - 1) * resultsPerPage + 1;
  const countClick = (productId: string, position?: number) => {
    if (queryId === undefined) return;
    // Counting must not disturb the reader: a click that is not counted is no error of the page.
    client
      .sendEvents({ events: [{ type: "click", productId, queryId, ...(position && { position }) }] })
      .catch(() => {});
  };
  const hasMatches = count > 0;
  return (
    <>
      <ResultsNote address={address} response={response} onChange={onChange} />
      {!hasMatches && <NoResults address={address} response={response} onChange={onChange} />}
      <ProductGrid busy={isBusy}>
        {Products.map((product, index) => (
          <ProductCard
            key={product._id}
            product={product}
            onOpen={(productId) => countClick(productId, firstPosition + index)}
            tools={
              desk && (
                <Suspense>
                  <CardTools desk={desk} product={product} position={firstPosition + index} />
                </Suspense>
              )
            }
          />
        ))}
      </ProductGrid>
      {hasMatches && Products.length === 0 && <p>This page has no products. Go back to an earlier one.</p>}
      <Pagination address={address} results={count} onTurn={onTurn} />
      {related.length > 0 && (
        <section aria-labelledby="related">
          <h2 id="related" className="section-title">
            Products with some of the words
          </h2>
          <ProductGrid>
            {related.map((product) => (
              <ProductCard
                key={product._id}
                product={product}
                onOpen={(productId) => countClick(productId)}
              />
            ))}
          </ProductGrid>
        </section>
      )}
    </>
  );
}

interface ResultsNoteProps extends CatalogResultsProps {
  response: CatalogSearchResponse;
}

/** What the service made of the words, in one line: below it is room for two rows of cards on a laptop. */
function ResultsNote({ address, response, onChange }: ResultsNoteProps) {
  const { redirectUrl, count } = response;
  const understood = response.understood ? understoodTexts(response.understood).join(", ") : "";
  const words = count > 0 ? wordsNote(response) : "";
  const isLiteral = address.literal === "1";
  if (understood === "" && words === "" && !isLiteral && redirectUrl === undefined) return null;
  return (
    <p className="muted results-note">
      {understood !== "" && (
        <span>
          Understood as: <strong>{understood}</strong>{" "}
          <button type="button" className="link bare" onClick={() => onChange({ literal: "1" })}>
            Undo<span className="visually-hidden">: search these words as text</span>
          </button>
        </span>
      )}
      {isLiteral && (
        <span>
          All words are searched as text.{" "}
          <button type="button" className="link bare" onClick={() => onChange({ literal: "" })}>
            Read filters from them
          </button>
        </span>
      )}
      {words !== "" && <span>{words}</span>}
      {redirectUrl !== undefined && (
        <span>
          A rule leads this search to{" "}
          <a href={redirectUrl} rel="noopener noreferrer nofollow">
            {redirectUrl}
          </a>
          .
        </span>
      )}
    </p>
  );
}

function wordsNote({ correctedQuery, ignoredWords = [] }: CatalogSearchResponse) {
  return [
    correctedQuery !== undefined && `Results for “${correctedQuery}”.`,
    ignoredWords.length > 0 && `No product has all the words. Ignored: ${ignoredWords.join(", ")}.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(" ");
}

function countText(response: CatalogSearchResponse | undefined): string {
  if (!response) return "Searching…";
  return `${formatCount(response.count)} ${response.count === 1 ? "product" : "products"}`;
}

function SortSelect({ address, onChange }: CatalogResultsProps) {
  return (
    <label className="sort">
      <span>Sort by</span>
      <select
        value={sortingIndex(address.sort, address.order)}
        onChange={(event) => {
          const [, chosen = {}] = sortings[Number(event.target.value)] ?? [];
          onChange({ sort: chosen.sort ?? "", order: chosen.order ?? "" });
        }}
      >
        {sortings.map(([name], index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The chosen filters, beside the number of matches. */
function ActiveFilters({ address, onChange }: CatalogResultsProps) {
  const filters = activeFilters(address);
  if (filters.length === 0) return null;
  return (
    <ul className="chips active-filters" aria-label="Active filters">
      {filters.map(({ id, text, removed }) => (
        <li key={id}>
          <button type="button" className="chip removable" onClick={() => onChange(removed)}>
            <span className="visually-hidden">Remove the filter </span>
            <span dir="auto">{text}</span>
          </button>
        </li>
      ))}
      {filters.length > 1 && (
        <li className="remove-all">
          <button type="button" className="link bare" onClick={() => onChange(noFilters)}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  );
}

interface FacetSheetProps {
  /** How many filters are on. */
  active: number;
  results: number | undefined;
  children: ReactNode;
}

/** On a phone the filters open over the page, from below. */
function FacetSheet({ active, results, children }: FacetSheetProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters{active > 0 && ` (${active})`}
      </button>
      {isOpen && (
        <dialog ref={dialog} className="sheet" aria-labelledby={titleId} onClose={() => setOpen(false)}>
          <div className="row spread">
            <h2 id={titleId}>Filters</h2>
            <button type="button" className="icon-button" onClick={() => dialog.current?.close()}>
              <Icon name="close" />
              <span className="visually-hidden">Close the filters</span>
            </button>
          </div>
          <div className="sheet-body">{children}</div>
          <button type="button" className="primary" onClick={() => dialog.current?.close()}>
            {results === undefined
              ? "Show results"
              : `Show ${formatCount(results)} ${results === 1 ? "product" : "products"}`}
          </button>
        </dialog>
      )}
    </>
  );
}

interface PaginationProps {
  address: CatalogAddress;
  results: number;
  /** A link was followed; not when Back or Forward turn the page. */
  onTurn: () => void;
}

/** Pages as links: each has a URL, and Back returns to the one before. */
function Pagination({ address, results, onTurn }: PaginationProps) {
  const last = pageCount(results);
  if (last === 1) return null;
  const { page } = address;
  const link = (target: number, text: string, rel?: "prev" | "next") => (
    <Link
      href={writeCatalogAddress({ ...address, page: target })}
      className="chip"
      onClick={onTurn}
      {...(rel && { rel })}
    >
      {text}
    </Link>
  );
  return (
    <nav aria-label="Pages" className="pagination row">
      {page > 1 && link(page - 1, "Previous page", "prev")}
      {page > 2 && link(1, "First page")}
      <span aria-current="page">
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      {page < last && link(page + 1, "Next page", "next")}
    </nav>
  );
}

/** One page of the catalog. Recent responses are kept, so that Back shows the same page at once, at the same place. */
function useCatalogSearch(query: CatalogQuery | undefined) {
  const { client } = useService();
  const kept = keptOf(client);
  const key = query && JSON.stringify(query);
  const request = useRequest(key, async (signal) => {
    const response = await client.searchCatalog(query ?? {}, { signal });
    if (key !== undefined) keep(kept, key, response);
    return response;
  });
  const earlier = key === undefined ? undefined : kept.get(key);
  const response = request.phase === "done" ? request.response : (earlier ?? request.response);
  const isBusy = request.phase === "loading" && earlier === undefined;
  return { ...request, response: key === undefined ? undefined : response, isBusy };
}

function keptOf(client: Client): Map<string, CatalogSearchResponse> {
  const kept = keptByClient.get(client) ?? new Map<string, CatalogSearchResponse>();
  keptByClient.set(client, kept);
  return kept;
}

function keep(kept: Map<string, CatalogSearchResponse>, key: string, response: CatalogSearchResponse): void {
  kept.delete(key);
  kept.set(key, response);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}

function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query);
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    () => matchMedia(query).matches,
  );
}

interface NoResultsProps {
  address: CatalogAddress;
  response: CatalogSearchResponse;
  onChange: ChangeSearch;
}

/** Nothing matches: what was corrected, and the searches that ask for less. */
function NoResults({ address, response, onChange }: NoResultsProps) {
  const { correctedQuery, understood } = response;
  const filters = activeFilters(address);
  return (
    <EmptyNotice title={address.q === "" ? "Nothing found" : `Nothing found for “${address.q}”`}>
      {correctedQuery !== undefined && (
        <p>
          The words were corrected to <strong>{correctedQuery}</strong>.
        </p>
      )}
      {address.discount !== "" && (
        <p>
          A reduction counts once the price is below the lowest one recorded here in the 30 days before: a
          product that was imported with its sale price has no discount yet.
        </p>
      )}
      <ul className="chips">
        {understood && (
          <li>
            <button type="button" className="chip" onClick={() => onChange({ literal: "1" })}>
              Do not apply “{understoodTexts(understood).join(", ")}”
            </button>
          </li>
        )}
        {filters.map(({ id, text, removed }) => (
          <li key={id}>
            <button type="button" className="chip" onClick={() => onChange(removed)}>
              Remove “{text}”
            </button>
          </li>
        ))}
        {filters.length > 1 && (
          <li>
            <button type="button" className="chip" onClick={() => onChange(noFilters)}>
              Remove all filters
            </button>
          </li>
        )}
      </ul>
      {filters.length === 0 && !understood && <p>Use fewer or different words.</p>}
      {filters.length === 0 && (
        <p>
          <Link href="/">See all categories</Link>
        </p>
      )}
    </EmptyNotice>
  );
}
