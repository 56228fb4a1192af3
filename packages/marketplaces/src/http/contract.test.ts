import { describeMarketplaceSource } from "@product-search/testing/contracts/marketplace-source.ts";
import { liveSource, plainProfile } from "../../testing/live-source.ts";
import { sendJson, startUpstream } from "../../testing/upstream-server.ts";
import type { Pagination } from "./profile/profile.ts";

const size = { limitParameter: "size", maxLimit: 60 };
const styles: Record<string, Pagination> = {
  "http, by page": { style: "page", pageParameter: "page", ...size },
  "http, by page from 0": { style: "page", pageParameter: "page", firstPage: 0, ...size },
  "http, by offset": { style: "offset", offsetParameter: "from", ...size },
  "http, by aligned offset": { style: "offset", offsetParameter: "from", aligned: true, ...size },
  "http, by cursor": { style: "cursor", cursorParameter: "after", next: "next", ...size },
};

for (const [name, pagination] of Object.entries(styles)) {
  describeMarketplaceSource(name, async (marketplace, count) => {
    const products = Array.from({ length: count }, (_, at) => ({
      id: `CODE${at + 1}`,
      name: `Mug ${at}`,
      price: 10,
      url: `/${at}`,
    }));
    const upstream = await startUpstream(({ url: { searchParams } }, response) => {
      const list = searchParams.get("q") === "mug" ? products : [];
      const limit = Number(searchParams.get("size"));
      const from = startOf(pagination, searchParams, limit);
      const items = list.slice(from, from + limit);
      sendJson(response, 200, {
        total: list.length,
        items,
        ...(from + limit < list.length && { next: from + limit }),
      });
    });
    const source = liveSource(plainProfile(upstream.baseUrl, { pagination }), { marketplace });
    return {
      source,
      async close() {
        await source.close();
        await upstream.close();
      },
    };
  });
}

function startOf(pagination: Pagination, parameters: URLSearchParams, limit: number): number {
  if (pagination.style === "offset") return Number(parameters.get("from"));
  if (pagination.style === "cursor") return Number(parameters.get("after") ?? 0);
  return (Number(parameters.get("page")) - (pagination.firstPage ?? 1)) * limit;
}
