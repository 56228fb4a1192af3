import type { Availability } from "@product-search/core/domain/availability.ts";

/** How to send requests to a marketplace and how to read its responses. Written in YAML by an operator. */
export interface Profile {
  /** The marketplace's name in logs and in `marketplace try`. */
  name: string;
  /** https, or http to an IP address in an allowed network. Every request goes to this host. */
  baseUrl: string;
  currency: string;
  request: RequestTemplate;
  auth?: ApiKeyAuth | OAuthAuth;
  pagination: Pagination;
  answer: {
    /** Expression for the list of products. */
    items: string;
    /** Expression for the number of matches. Without it, the number of products seen is used. */
    total?: string;
  };
  item: ItemMapping;
  /** The marketplace's words for availability; case is ignored. */
  availabilityWords?: Record<string, Availability>;
  quota?: { perSecond?: number; perDay?: number };
  cache?: { freshSeconds?: number; staleSeconds?: number };
}

/** `{query}` and `{words}` are replaced by the search text, percent-encoded in the path. */
export interface RequestTemplate {
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** For marketplaces that need each word separately: `{words}` is every word inserted into `each`, joined by `join`. */
  words?: { each: string; join: string };
}

/** Secrets are never written here: each of these is the name of an environment variable. */
export interface ApiKeyAuth {
  kind: "api-key";
  in: "header" | "query";
  name: string;
  secret: string;
  /** Text before the key in a header, such as `Bearer `. */
  prefix?: string;
}

export interface OAuthAuth {
  kind: "oauth2-client-credentials";
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string;
  /** Where the token endpoint expects the credentials; default `basic`. */
  credentialsIn?: "basic" | "body";
}

export type Pagination = PagePagination | OffsetPagination | CursorPagination;

interface PageSize {
  limitParameter: string;
  /** The maximum number of products in one response of the marketplace. */
  maxLimit: number;
  /** The last position that can be reached by paging; default 10 000. */
  maxResults?: number;
}

export interface PagePagination extends PageSize {
  style: "page";
  pageParameter: string;
  /** The number of the first page; default 1. */
  firstPage?: 0 | 1;
}

export interface OffsetPagination extends PageSize {
  style: "offset";
  offsetParameter: string;
  /** Whether the offset must be a multiple of the limit. */
  aligned?: boolean;
}

export interface CursorPagination extends PageSize {
  style: "cursor";
  cursorParameter: string;
  /** Expression for the cursor of the next page; absent or empty on the last one. */
  next: string;
}

export const transforms = ["text", "html", "money", "minor-units", "number", "availability", "url"] as const;
export type Transform = (typeof transforms)[number];

/** A JMESPath expression, with the default transform of the field or another one. */
export type FieldMapping = string | { path: string; transform: Transform };

export const requiredFields = ["itemCode", "name", "price", "url"] as const;
export const optionalFields = [
  /** Products in another currency than the profile's are dropped. */
  "currency",
  "originalPrice",
  "images",
  "brand",
  "storeName",
  "description",
  "availability",
  "averageRating",
  "reviewCount",
] as const;
export type Field = (typeof requiredFields)[number] | (typeof optionalFields)[number];

export type ItemMapping = Record<(typeof requiredFields)[number], FieldMapping> &
  Partial<Record<(typeof optionalFields)[number], FieldMapping>>;
