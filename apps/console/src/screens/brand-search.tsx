import { isProductSearchError } from "@product-search/client";
import { useState } from "react";
import { Link } from "wouter";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { SearchField } from "../parts/search/search-field.tsx";
import { tokenBoxId } from "../parts/shell/token-box-id.ts";
import { useService } from "../service/service-context.tsx";
import { useRequest } from "../service/use-request.ts";

/** Brands by name, fuzzily: each leads to its page. */
export function BrandSearch() {
  const { client, token } = useService();
  const [text, setText] = useState("");
  const search = useRequest(
    token && text.trim() ? `${token} ${text}` : undefined,
    (signal) => client.searchBrands({ query: text }, { signal }),
    200,
  );
  const isUnknown =
    search.phase === "failed" &&
    isProductSearchError(search.error) &&
    search.error.code === "brand_not_found";
  return (
    <section aria-labelledby="brands" className="panel">
      <h2 id="brands">Find a brand</h2>
      <SearchField label="Search brands" value={text} onChange={setText} placeholder="brand name" />
      {!token && (
        <p className="muted">
          Sign in to search brands.{" "}
          <button type="button" className="small" popoverTarget={tokenBoxId}>
            Set a token
          </button>
        </p>
      )}
      {isUnknown && <p role="status">No brand found for “{text}”.</p>}
      {search.phase === "failed" && !isUnknown && <ErrorNotice error={search.error} onRetry={search.retry} />}
      <ul className="chips">
        {search.response?.brands.map(({ name, serviceBrandPageUrl }) => (
          <li key={name}>
            <Link className="chip" href={pathOf(serviceBrandPageUrl)}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {text.trim() !== "" && (
        <DeveloperPanel
          requests={[
            {
              title: "Search brands",
              method: "POST",
              path: "/search/brands",
              body: { query: text },
              needsToken: true,
              call: `searchBrands(${JSON.stringify({ query: text })})`,
            },
          ]}
        />
      )}
    </section>
  );
}

/** The service's own address leads to this very page. */
function pathOf(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : "/";
}
