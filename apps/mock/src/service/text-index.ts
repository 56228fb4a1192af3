import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Language, Snapshot } from "@product-search/text-index";
import { applyChanges, shortestPause } from "@product-search/text-search/apply-changes.ts";
import type { CatalogLog } from "@product-search/text-search/catalog-log.ts";
import { chooseAll } from "@product-search/text-search/choose-documents.ts";
import { createEmbeddedTextSearch } from "@product-search/text-search/embedded.ts";
import { rebuild } from "@product-search/text-search/open-index-writer.ts";

export interface FollowedTextIndex {
  textSearch: TextSearch;
  /** Settles when searches see every change that was made so far. */
  follow(): Promise<void>;
}

/** The service's own index over the catalog in memory. It is built when it is first followed. */
export function createFollowedTextIndex(log: CatalogLog, language: Language): FollowedTextIndex {
  let receive: (snapshot: Snapshot) => void = () => {};
  const textSearch = createEmbeddedTextSearch({
    languages: [language],
    subscribe: (subscriber) => {
      receive = subscriber;
    },
  });
  const publish = (snapshot: Snapshot) => receive(snapshot);
  const build = async () => {
    const writer = await rebuild(log, chooseAll, [language]);
    publish(writer.snapshot);
    return writer;
  };
  let building: ReturnType<typeof build> | undefined;
  let last: Promise<void> = Promise.resolve();
  const catchUp = async () => {
    building ??= build();
    const writer = await building;
    while (await applyChanges(log, writer, publish, shortestPause));
  };
  return {
    textSearch,
    follow() {
      last = last.then(catchUp);
      return last;
    },
  };
}
