// The parts that partners rely on. They must be informed of every change here.
import type {
  BrandNotFoundError,
  CreateWebhookRequest,
  DeepSearchEvent,
  DeepSearchResult,
  ErrorCode,
  MarketplaceProduct,
  operations,
  PriceAlertEvent,
  Product,
  ProductVariant,
  SearchTrialOperation,
  StockAlertEvent,
  statusOfCode,
  Webhook,
  WebhookEvent,
  WebhookWithKey,
} from "@product-search/types";
import { expectTypeOf, test } from "vitest";

test("Product has every field of the interface, and leaves out what is unknown", () => {
  type Interface = {
    _id: string;
    name: string;
    brand?: string;
    storeName: string;
    slug: string;
    price: number;
    isVerified: boolean;
    isBoosted: boolean;
    images: string[];
    url: string;
    serviceScore?: number;
    priceHistory: { price: number; date: string; _id: string }[];
    discountVal: number;
    averageRating?: number;
    currency?: string;
    category?: string;
    categoryPath?: string[];
    originalPrice?: number;
    groupId?: string;
    attributes?: { [name: string]: string[] };
    gtin?: string;
    mpn?: string;
    reviewCount?: number;
    availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder";
    description?: string;
    highlights?: { name?: string; description?: string };
    variantCount?: number;
    variantPrices?: { min: number; max: number };
    variants?: ProductVariant[];
    key?: string;
    releasedAt?: string;
    rank?: number;
    tags?: string[];
    custom?: { [name: string]: unknown };
  };
  expectTypeOf<Pick<Product, keyof Interface>>().toEqualTypeOf<Interface>();
});

test("MarketplaceProduct is narrowed by its source", () => {
  type Of<Source> = Extract<MarketplaceProduct, { source: Source }>;
  expectTypeOf<Of<"marketplace-a">["originalPrice"]>().toEqualTypeOf<number>();
  expectTypeOf<Of<"marketplace-a">["itemCode"]>().toEqualTypeOf<string>();
  expectTypeOf<Of<"marketplace-b">["reviewCount"]>().toEqualTypeOf<number>();
  expectTypeOf<MarketplaceProduct["position"]>().toEqualTypeOf<number>();
  expectTypeOf<MarketplaceProduct["brand"]>().toEqualTypeOf<string | undefined>();
});

test("an operation has its parameters and a response for each status", () => {
  type Trial = operations["searchTrial"];
  expectTypeOf<SearchTrialOperation>().toEqualTypeOf<Trial>();
  expectTypeOf<Trial["parameters"]["query"]>().toEqualTypeOf<{
    q: string;
    priceRange?: string;
    sort?: "relevance" | "price" | "price:relevance" | "rating" | "discount";
    order?: "asc" | "desc";
    literal?: boolean;
  }>();
  expectTypeOf<keyof Trial["responses"]>().toEqualTypeOf<200 | 400 | 406 | 429 | 500 | 503>();
  type Response = Trial["responses"][200]["content"]["application/json"];
  expectTypeOf<Response>().toEqualTypeOf<{ status: "success"; Products: Product[] }>();
});

test("the page parameters of a marketplace search are optional", () => {
  expectTypeOf<operations["searchMarketplaceA"]["parameters"]["query"]>().toEqualTypeOf<{
    q: string;
    count?: number;
    page?: number;
    literal?: boolean;
  }>();
});

test("a brand search without a match has its text under data", () => {
  type NoMatch = operations["searchBrands"]["responses"][404]["content"]["application/json"];
  expectTypeOf<NoMatch>().toEqualTypeOf<BrandNotFoundError>();
  expectTypeOf<NoMatch["data"]>().toEqualTypeOf<string>();
  expectTypeOf<NoMatch["code"]>().toEqualTypeOf<"brand_not_found">();
});

test("webhooks have their key only on creation", () => {
  expectTypeOf<CreateWebhookRequest["webhookType"]>().toEqualTypeOf<"stock.alert" | "price.alert">();
  expectTypeOf<WebhookWithKey["apiKey"]>().toEqualTypeOf<string>();
  expectTypeOf<"apiKey" extends keyof Webhook ? true : false>().toEqualTypeOf<false>();
  expectTypeOf<Webhook["disabledAt"]>().toEqualTypeOf<string | null>();
});

test("events are narrowed by their type", () => {
  expectTypeOf<Extract<WebhookEvent, { type: "price.alert" }>>().toEqualTypeOf<PriceAlertEvent>();
  expectTypeOf<Extract<WebhookEvent, { type: "stock.alert" }>>().toEqualTypeOf<StockAlertEvent>();
  expectTypeOf<PriceAlertEvent["data"]["current"]>().toEqualTypeOf<{ price: number }>();
  expectTypeOf<StockAlertEvent["data"]["previous"]["availability"]>().toEqualTypeOf<
    "in_stock" | "out_of_stock" | "preorder" | "backorder"
  >();
  expectTypeOf<PriceAlertEvent["data"]["test"]>().toEqualTypeOf<true | undefined>();
});

test("deep search streams the same result as the JSON response", () => {
  type Done = Extract<DeepSearchEvent, { type: "done" }>;
  expectTypeOf<DeepSearchEvent["type"]>().toEqualTypeOf<
    "products" | "delta" | "restart" | "done" | "error"
  >();
  expectTypeOf<Done["data"]>().toEqualTypeOf<DeepSearchResult>();
});

test("codes are a union of words, not any string", () => {
  expectTypeOf<"rate_limited">().toExtend<ErrorCode>();
  expectTypeOf<"no_such_code">().not.toExtend<ErrorCode>();
  expectTypeOf<keyof typeof statusOfCode>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<(typeof statusOfCode)["rate_limited"]>().toEqualTypeOf<429>();
});
