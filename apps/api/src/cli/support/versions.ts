import { apiVersion } from "@product-search/spec/operations";

/** `product-search, API 1.0.0, Node 26.10.0 on linux x64` */
export function versions(): string {
  return `product-search, API ${apiVersion}, Node ${process.versions.node} on ${process.platform} ${process.arch}`;
}
