import { useEffect, useEffectEvent, useState } from "react";
import { ConversationTurn } from "../parts/ask/conversation-turn.tsx";
import { QuestionExamples } from "../parts/ask/question-examples.tsx";
import { QuestionField } from "../parts/ask/question-field.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { useService } from "../service/service-context.tsx";
import { useConversation } from "../service/use-conversation.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState } from "../service/use-query-state.ts";

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
  const isEmpty = turns.length === 0;
  return (
    <div className="chat">
      {isEmpty ? (
        <section className="hero">
          <h1>Ask a question</h1>
          <p className="muted">
            Say what you need, as you would in a shop. The answer names only products of this catalog, and you
            can go on: “and in blue?”
          </p>
          {token ? <QuestionExamples onAsk={send} /> : <TokenNotice what="Deep search" />}
        </section>
      ) : (
        <>
          <h1 className="visually-hidden">Ask a question</h1>
          <ol className="conversation">
            {turns.map((turn, index) => (
              <li key={turn.id}>
                <ConversationTurn
                  turn={turn}
                  isNewest={index === turns.length - 1}
                  onAsk={send}
                  onRetry={() => askAgain(turn)}
                />
              </li>
            ))}
          </ol>
        </>
      )}
      <div className="composer">
        <QuestionField
          value={draft}
          onChange={setDraft}
          placeholder={isEmpty ? "What do you need?" : "Ask a follow-up question"}
          onSubmit={() => send(draft)}
        />
      </div>
    </div>
  );
}
