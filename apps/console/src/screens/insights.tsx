import { isProductSearchError, type SearchInsightsResponse } from "@product-search/client";
import { Link } from "wouter";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { SearchChart } from "../parts/insights/search-chart.tsx";
import { newRulePath, newSynonymPath, ScopeNotice } from "../parts/merchandising/product-line.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { OperatorLink } from "../parts/operator-link.tsx";
import { PanelSkeleton } from "../parts/panel-skeleton.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { formatCount, formatPercent } from "../service/money.ts";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState, useRequest } from "../service/use-request.ts";

const kinds = [
  ["top", "Most frequent"],
  ["noResults", "Without results"],
  ["relaxed", "With ignored words"],
  ["noClicks", "Without clicks"],
] as const;
const periods = ["7", "30", "90"] as const;
const dayMs = 86_400_000;
const maxSearches = 100;

type Kind = (typeof kinds)[number][0];

/** What people search for, what they do not find, and the way to mend it. */
export function InsightsScreen() {
  const { token } = useService();
  usePageTitle("Insights");
  return (
    <>
      <section className="hero small-hero">
        <h1>Insights</h1>
        <p className="muted">What people search for in the catalog, and what they do not find.</p>
      </section>
      {token === "" ? <TokenNotice what="Insights" /> : <Insights token={token} />}
    </>
  );
}

function Insights({ token }: { token: string }) {
  const { client } = useService();
  const [kindText, setKind] = useQueryState("kind");
  const [periodText, setPeriod] = useQueryState("days");
  const kind: Kind = kinds.find(([name]) => name === kindText)?.[0] ?? "top";
  const period = periods.find((name) => name === periodText) ?? "30";
  const request = useRequest(JSON.stringify([token, kind, period]), (signal) =>
    client.searchInsights(
      { kind, from: firstDay(Number(period)), limit: maxSearches, interval: "day" },
      { signal },
    ),
  );
  if (request.phase === "failed") {
    const { error } = request;
    if (isProductSearchError(error) && error.code === "forbidden") return <ScopeNotice what="Insights" />;
    return <ErrorNotice error={error} onRetry={request.retry} />;
  }
  const { response } = request;
  return (
    <div className="stack">
      <div className="row spread">
        <fieldset className="segmented">
          <legend className="visually-hidden">Period</legend>
          {periods.map((days) => (
            <label key={days}>
              <input type="radio" name="period" checked={period === days} onChange={() => setPeriod(days)} />
              <span>{days} days</span>
            </label>
          ))}
        </fieldset>
        <button type="button" onClick={request.retry}>
          Refresh
        </button>
      </div>
      <DeveloperPanel requests={[requestFor(kind)]} />
      {!response && <PanelSkeleton />}
      {response && response.totals.searches === 0 && <NothingCounted />}
      {response && response.totals.searches > 0 && (
        <>
          <Totals {...response.totals} />
          {response.series && <SearchChart days={response.series} />}
          <section className="panel stack" aria-label="Searches">
            <fieldset className="segmented">
              <legend className="visually-hidden">Kind of searches</legend>
              {kinds.map(([name, text]) => (
                <label key={name}>
                  <input type="radio" name="kind" checked={kind === name} onChange={() => setKind(name)} />
                  <span>{text}</span>
                </label>
              ))}
            </fieldset>
            {response.searches.length > 0 ? (
              <SearchTable searches={response.searches} />
            ) : (
              <p className="muted">{emptyTexts[kind]}</p>
            )}
          </section>
        </>
      )}
    </div>
  );
}

/** The beginning of a day in UTC, as the service counts: a period of one day is today. */
function firstDay(days: number): string {
  return new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
}

function requestFor(kind: Kind): RequestSnippet {
  return {
    title: "Searches",
    method: "GET",
    path: "/insights/searches",
    query: { kind, interval: "day" },
    needsToken: true,
    call: `searchInsights(${JSON.stringify({ kind, interval: "day" })})`,
  };
}

const emptyTexts: Record<Kind, string> = {
  top: "No texts are listed for this period: those that look personal are only counted.",
  noResults: "Every search of this period found something.",
  relaxed: "No word of a search of this period was ignored.",
  noClicks: "Every search of this period that found something was clicked.",
};

interface TotalsProps {
  searches: number;
  noResults: number;
  clicks: number;
}

function Totals({ searches, noResults, clicks }: TotalsProps) {
  const figures = [
    ["Searches", formatCount(searches), ""],
    ["Without results", formatPercent((100 * noResults) / searches), formatCount(noResults)],
    ["Clicks per search", formatPercent((100 * clicks) / searches), formatCount(clicks)],
  ] as const;
  return (
    <dl className="totals">
      {figures.map(([name, figure, count]) => (
        <div key={name} className="panel">
          <dt className="muted">{name}</dt>
          <dd>
            <strong>{figure}</strong> {count !== "" && <span className="muted">{count}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function NothingCounted() {
  return (
    <EmptyNotice title="No searches were counted in this period">
      <p>
        The service counts searches of the catalog while its operator sets <code>ANALYTICS_DAYS</code>, for
        example to 30: then it keeps the counts for 30 days. By default it counts nothing;{" "}
        <code>pnpm start</code> sets 30. <OperatorLink>What is stored, and what is not</OperatorLink>
      </p>
      <p>A search is counted within five seconds. It is stored without anything about the person.</p>
    </EmptyNotice>
  );
}

/** Texts that people search for, each with what can be done about it. */
function SearchTable({ searches }: { searches: SearchInsightsResponse["searches"] }) {
  return (
    <div className="table-frame">
      <table className="comparison search-table">
        <thead>
          <tr>
            <th scope="col">Search</th>
            <th scope="col">Searches</th>
            <th scope="col">Results</th>
            <th scope="col">Clicks</th>
            <th scope="col">Position clicked</th>
            <th scope="col">Improve it</th>
          </tr>
        </thead>
        <tbody>
          {searches.map(({ query, searches: count, results, clickRate, averagePosition }) => (
            <tr key={query}>
              <th scope="row" dir="auto">
                <Link href={`/?${new URLSearchParams({ q: query })}`}>{query}</Link>
              </th>
              <td data-name="Searches">{formatCount(count)}</td>
              <td data-name="Results">
                {results === 0 ? <span className="tag failed">none</span> : formatCount(results)}
              </td>
              <td data-name="Clicks">{formatPercent(100 * clickRate)}</td>
              <td data-name="Position clicked">{averagePosition}</td>
              <td>
                <div className="row">
                  <Link href={newSynonymPath(query)}>
                    Synonym<span className="visually-hidden"> for {query}</span>
                  </Link>
                  <Link href={newRulePath(query)}>
                    Rule<span className="visually-hidden"> for {query}</span>
                  </Link>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
