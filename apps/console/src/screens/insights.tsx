import { isProductSearchError, type SearchInsightsResponse } from "@product-search/client";
import { DownloadButton } from "../parts/copy-button.tsx";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { OperatorLink, PanelSkeleton } from "../parts/elements.tsx";
import { SearchChart, SearchTable } from "../parts/insights/search-table.tsx";
import { ScopeNotice } from "../parts/merchandising/product-line.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { formatCount, formatPercent } from "../service/format.ts";
import { toCsv } from "../service/insights-csv.ts";
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
const maxRows = 500;

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
      {token === "" ? <TokenNotice what="insights" /> : <Insights token={token} />}
    </>
  );
}

function Insights({ token }: { token: string }) {
  const { client } = useService();
  const [kindText, setKind] = useQueryState("kind");
  const [periodText, setPeriod] = useQueryState("days");
  const kind: Kind = kinds.find(([name]) => name === kindText)?.[0] ?? "top";
  const period = periods.find((name) => name === periodText) ?? "30";
  const days = Number(period);
  const request = useRequest(JSON.stringify([token, kind, period]), async (signal) => {
    const now = client.searchInsights(
      { kind, from: firstDay(days), limit: maxSearches, interval: "day" },
      { signal },
    );
    return { ...(await now), before: await client.searchInsights(periodBefore(days), { signal }) };
  });
  if (request.phase === "failed") {
    const { error } = request;
    if (isProductSearchError(error) && error.code === "forbidden") return <ScopeNotice what="Insights" />;
    return <ErrorNotice error={error} onRetry={request.retry} />;
  }
  const { response } = request;
  const readAll = async () =>
    (await client.searchInsights({ kind, from: firstDay(days), limit: maxRows })).searches;
  return (
    <div className="stack">
      <div className="row spread">
        <fieldset className="segmented">
          <legend className="visually-hidden">Period</legend>
          {periods.map((one) => (
            <label key={one}>
              <input type="radio" name="period" checked={period === one} onChange={() => setPeriod(one)} />
              <span>{one} days</span>
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
          <Totals totals={response.totals} before={response.before.totals} days={days} />
          {response.series && <SearchChart days={response.series} />}
          <section className="panel stack" aria-label="Searches">
            <div className="row spread">
              <fieldset className="segmented">
                <legend className="visually-hidden">Kind of searches</legend>
                {kinds.map(([name, text]) => (
                  <label key={name}>
                    <input type="radio" name="kind" checked={kind === name} onChange={() => setKind(name)} />
                    <span>{text}</span>
                  </label>
                ))}
              </fieldset>
              <DownloadButton
                name={`searches-${kind}-${period}-days.csv`}
                type="text/csv"
                read={async () => toCsv(await readAll(), response.before)}
                disabled={response.searches.length === 0}
              >
                Download CSV
              </DownloadButton>
            </div>
            {response.searches.length > 0 ? (
              <SearchTable searches={response.searches} before={response.before} />
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

/** As many days before, up to the same time of day; with its most frequent searches. */
function periodBefore(days: number) {
  const to = Date.now() - days * dayMs;
  const from = new Date(to - (days - 1) * dayMs).toISOString().slice(0, 10);
  return { kind: "top", from, to: new Date(to).toISOString(), limit: maxRows } as const;
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

type SearchTotals = SearchInsightsResponse["totals"];

interface TotalsProps {
  totals: SearchTotals;
  before: SearchTotals;
  days: number;
}

function Totals({ totals, before, days }: TotalsProps) {
  const { searches, noResults, clicks } = totals;
  const share = (of: keyof SearchTotals, all: SearchTotals) => formatPercent((100 * all[of]) / all.searches);
  const figures = [
    ["Searches", formatCount(searches), "", formatCount(before.searches)],
    ["Without results", share("noResults", totals), formatCount(noResults), share("noResults", before)],
    ["Clicks per search", share("clicks", totals), formatCount(clicks), share("clicks", before)],
  ] as const;
  return (
    <dl className="totals">
      {figures.map(([name, figure, count, former]) => (
        <div key={name} className="panel">
          <dt className="muted">{name}</dt>
          <dd>
            <strong>{figure}</strong> {count !== "" && <span className="muted">{count}</span>}
            {before.searches > 0 && (
              <span className="former muted small-text">
                {former} in the {days === 7 ? "week" : `${days} days`} before
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function NothingCounted() {
  const { isEngineer } = useService();
  return (
    <EmptyNotice title="No searches were counted in this period">
      {isEngineer ? (
        <p>
          The service counts searches of the catalog while its operator sets <code>ANALYTICS_DAYS</code>, for
          example to 30: then it keeps the counts for 30 days. By default it counts nothing;{" "}
          <code>pnpm start</code> sets 30. <OperatorLink>What is stored, and what is not</OperatorLink>
        </p>
      ) : (
        <p>
          Choose a longer period. If there are none at all, ask whoever runs the service to count searches.
        </p>
      )}
      <p>A search is counted within five seconds. It is stored without anything about the person.</p>
    </EmptyNotice>
  );
}
