import type { Languages } from "@product-search/text-index";
import { describeOnOpenSearch } from "../../../../testing/servers/opensearch.ts";
import { openTextOnOpenSearch } from "../../../../testing/servers/opensearch-text.ts";
import { describeTextSearch, type OpenTextSearch } from "../contract.ts";
import { describeLanguages } from "../contract-languages.ts";

describeOnOpenSearch("text search on OpenSearch", () => {
  const open = async (languages?: Languages): Promise<OpenTextSearch> => {
    const opened = await openTextOnOpenSearch(undefined, languages);
    opened.startWriter();
    return {
      textSearch: opened.textSearch,
      changeSynonyms: opened.changeSynonyms,
      add: async (inputs) => {
        await opened.store.apply(inputs);
        await opened.caughtUp();
      },
      keyOf: async (rowId) => (await opened.store.findByRowIds([rowId]))[0]?.key ?? "absent",
      close: opened.close,
    };
  };
  describeTextSearch(open);
  describeLanguages(open);
});
