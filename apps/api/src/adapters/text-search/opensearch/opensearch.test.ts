import { describeOnOpenSearch } from "../../../../testing/servers/opensearch.ts";
import { openTextOnOpenSearch } from "../../../../testing/servers/opensearch-text.ts";
import { describeTextSearch } from "../contract.ts";

describeOnOpenSearch("text search on OpenSearch", () => {
  describeTextSearch(async () => {
    const opened = await openTextOnOpenSearch();
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
  });
});
