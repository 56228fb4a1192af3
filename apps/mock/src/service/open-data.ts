import { readFileSync } from "node:fs";
import type { DocumentName } from "@product-search/http-rules/documents.ts";
import { createDictionary, english } from "@product-search/text-index";
import type { ServiceData } from "./create-service.ts";
import { openSampleImages } from "./identifiers.ts";

/** What the build has put into a folder. Nothing is read before it is needed. */
export function openDocuments(folder: URL): (name: DocumentName) => Buffer {
  return (name) => readFileSync(new URL(name, folder));
}

export function openData(folder: URL): ServiceData {
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  const dictionary = createDictionary(() => ({
    aff: read("dictionary/index.aff"),
    dic: read("dictionary/index.dic"),
  }));
  return { language: { ...english, dictionary }, images: openSampleImages(folder) };
}
