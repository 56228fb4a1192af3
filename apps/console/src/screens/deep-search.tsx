import { useEffect, useEffectEvent, useState } from "react";
import { ConversationTurn } from "../parts/ask/conversation-turn.tsx";
import { Chips } from "../parts/chips.tsx";
import { SearchField } from "../parts/search/search-field.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { useService } from "../service/service-context.tsx";
import { useConversation } from "../service/use-conversation.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState } from "../service/use-query-state.ts";

const starters = [
  "a gift for a runner under 80",
  "the best rated desk lamp",
  "a leather bag, not black",
  "cheap mugs",
];

/** Deep search as a conversation. The newest turn is the last one: while it is written, nothing is below it that could move. */
export function DeepSearchScreen() {
  const { token } = useService();
  const { turns, ask, askAgain } = useConversation();
  const [draft, setDraft] = useState("");
  const [asked, setAsked] = useQueryState("q");
  usePageTitle(asked === "" ? "Ask" : asked);
  const send = (query: string) => {
    if (query.trim() === "") return;
    setDraft("");
    setAsked(query);
    ask(query);
  };
  // A link with a question asks it, as soon as there is a token.
  const askLinked = useEffectEvent(() => {
    if (turns.length === 0 && asked.trim() !== "") ask(asked);
  });
  useEffect(() => {
    if (token !== "") askLinked();
  }, [token]);
  const field = (
    <SearchField
      label="Your question"
      value={draft}
      onChange={setDraft}
      placeholder={turns.length === 0 ? "comfortable shoes for long walks, under 100" : "and in blue?"}
      onSubmit={() => send(draft)}
      submitLabel="Ask"
    />
  );
  if (turns.length === 0) {
    return (
      <>
        <section className="hero">
          <h1>Ask a question</h1>
          {field}
          {token && <Chips texts={starters} onChoose={send} />}
        </section>
        {!token && <TokenNotice what="Deep search" />}
      </>
    );
  }
  return (
    <div className="chat">
      <h1 className="visually-hidden">Ask a question</h1>
      <ol className="conversation">
        {turns.map((turn) => (
          <li key={turn.id}>
            <ConversationTurn turn={turn} onAsk={send} onRetry={() => askAgain(turn)} />
          </li>
        ))}
      </ol>
      <div className="composer">{field}</div>
    </div>
  );
}
