import { useState } from "react";
import { ConversationTurn } from "../parts/ask/conversation-turn.tsx";
import { Chips } from "../parts/chips.tsx";
import { SearchField } from "../parts/search/search-field.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { useService } from "../service/service-context.tsx";
import { useConversation } from "../service/use-conversation.ts";
import { usePageTitle } from "../service/use-page-title.ts";

const starters = [
  "a gift for a runner under 80",
  "the best rated desk lamp",
  "a leather bag, not black",
  "cheap mugs",
];

/** Deep search as a conversation, the newest turn next to the field it came from. */
export function DeepSearchScreen() {
  const { token } = useService();
  const { turns, ask, askAgain } = useConversation();
  const [draft, setDraft] = useState("");
  usePageTitle("Ask");
  const send = (query: string) => {
    if (query.trim() === "") return;
    setDraft("");
    ask(query);
  };
  return (
    <>
      <section className="hero">
        <h1>Ask a question</h1>
        <SearchField
          label="Your question"
          value={draft}
          onChange={setDraft}
          placeholder="comfortable shoes for long walks, under 100"
          onSubmit={() => send(draft)}
          submitLabel="Ask"
        />
        {token && turns.length === 0 && <Chips texts={starters} onChoose={send} />}
      </section>
      {!token && turns.length === 0 && <TokenNotice what="Deep search" />}
      <ol className="conversation" reversed>
        {turns.toReversed().map((turn) => (
          <li key={turn.id}>
            <ConversationTurn turn={turn} onAsk={send} onRetry={() => askAgain(turn)} />
          </li>
        ))}
      </ol>
    </>
  );
}
