import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import { isShopAddress, parseShopAddress, printableUrl } from "@product-search/core/domain/urls.ts";

/** A feed that the service imports by itself. */
export interface FeedSetting {
  source: ProductSource;
  url: string;
  periodMs: number;
  /** What to do with products of the source that the feed does not list. */
  absent: "keep" | "out_of_stock" | "remove" | "remove_without_limit";
}

const feedForm =
  'write entries such as "catalog https://shop.example/feed.xml every 30m full", with a comma between them';
const feedUnitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 };
const maxFeedPeriodMs = 7 * 24 * 3_600_000;

/** A comma starts a new entry only before a source, because URLs may contain commas. */
export function parseFeedSettings(text: string): FeedSetting[] {
  const entries = text
    .split(new RegExp(`,\\s*(?=(?:${productSources.join("|")})\\s)`))
    .filter((entry) => entry.trim());
  const found = entries.map((entry) => parseFeed(entry.trim()));
  const names = new Set(found.map(({ source, url }) => `${source} ${url}`));
  if (names.size < found.length) throw new Error("a feed is listed twice.");
  return found;
}

/** The URL is not repeated in messages: it may contain a password or a token. */
function parseFeed(entry: string): FeedSetting {
  const match =
    /^(\S+)\s+(\S+)\s+every\s+(\d{1,5})([mh])(?:\s+(full|remove-absent(?:\s+no-removal-limit)?))?$/.exec(
      entry,
    );
  const [, name, url = "", amount, unit = "", rule] = match ?? [];
  const source = productSources.find((one) => one === name);
  if (source === undefined) throw new Error(`${feedForm}.`);
  const printable = isShopAddress(url) ? shopAddress(url) : printableUrl(url);
  if (printable === undefined || !(isShopAddress(url) || /^https?:$/.test(new URL(printable).protocol))) {
    throw new Error(
      `${feedForm}; each needs an http or https URL, or a shop such as shopify:https://shop.example.`,
    );
  }
  const periodMs = Number(amount) * (feedUnitMs[unit] ?? 0);
  if (!(periodMs >= 60_000 && periodMs <= maxFeedPeriodMs)) {
    throw new Error(`${feedForm}; the period is from 1m to 168h.`);
  }
  return { source, url: printable, periodMs, absent: toAbsentRule(rule) };
}

/** `name.myshopify.com=token`, several with commas between them. */
export function parseShopTokens(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, host, token] = /^\s*([\w.-]+(?::\d+)?)=([\x21-\x7e]+)\s*$/.exec(pair) ?? [];
      if (host === undefined || token === undefined)
        throw new Error("write name.myshopify.com=token, with commas between several.");
      return [host.toLowerCase(), token];
    }),
  );
}

function shopAddress(text: string): string {
  const shop = parseShopAddress(text);
  if ("fault" in shop) throw new Error(`${feedForm}; ${shop.fault}.`);
  return `${shop.platform}:${shop.url}`;
}

function toAbsentRule(words: string | undefined): FeedSetting["absent"] {
  if (words === undefined) return "keep";
  if (words === "full") return "out_of_stock";
  return words === "remove-absent" ? "remove" : "remove_without_limit";
}
