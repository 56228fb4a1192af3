import { type FormEvent, useRef, useState } from "react";
import { Link } from "../link.tsx";
import { priceText, shop, useTitle } from "../shop.ts";

type Answer = Awaited<ReturnType<typeof shop.client.deepSearch>>["data"];

interface Turn {
  id: number;
  query: string;
  answer?: Answer;
  error?: string;
}

/** The service reads at most so many earlier questions. */
const maxHistory = 10;

/** A conversation: each question is read together with those before it. */
export function AskPage() {
  const [turns, setTurns] = useState<Turn[]>([]);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useTitle("Ask for what you need");

  async function ask(query: string) {
    if (query.trim() === "" || isBusy) return;
    const history = turns.map((turn) => turn.query).slice(-maxHistory);
    const id = turns.length;
    setTurns([...turns, { id, query }]);
    setBusy(true);
    const turn: Turn = await shop.client
      .deepSearch({ query, ...(history.length > 0 && { history }) })
      .then(({ data }) => ({ id, query, answer: data }))
      .catch((error: Error) => ({ id, query, error: error.message }));
    setTurns((before) => [...before.slice(0, -1), turn]);
    setBusy(false);
    field.current?.focus();
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const input = field.current;
    if (input === null) return;
    void ask(input.value);
    input.value = "";
  }

  return (
    <>
      <h1>Ask for what you need</h1>
      {turns.length === 0 && <p>For example: “a warm jacket for hiking under 150, not black”.</p>}
      <ol className="turns" aria-live="polite" aria-busy={isBusy}>
        {turns.map((turn) => (
          <li key={turn.id}>
            <p className="question">{turn.query}</p>
            {turn.error !== undefined && <p role="alert">{turn.error}</p>}
            {turn.answer === undefined && turn.error === undefined && <p>…</p>}
            {turn.answer !== undefined && <AnswerText answer={turn.answer} onAsk={ask} />}
          </li>
        ))}
      </ol>
      <form className="search line" onSubmit={submit}>
        <input ref={field} aria-label="Your question" placeholder="Your question" maxLength={512} />
        <button type="submit" className="buy" disabled={isBusy}>
          Ask
        </button>
      </form>
    </>
  );
}

function AnswerText({ answer, onAsk }: { answer: Answer; onAsk: (query: string) => Promise<void> }) {
  const { aiResponse, topProducts, suggestions } = answer;
  return (
    <>
      <p className="answer">{aiResponse}</p>
      <ul className="picks">
        {topProducts.map(({ _id, name, price, image }) => (
          <li key={_id}>
            <Link href={`/products/${encodeURIComponent(_id)}`}>
              {image !== undefined && <img src={image} alt="" width="64" height="64" loading="lazy" />}
              <span>
                {name} <b>{priceText(price)}</b>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p>
        {suggestions.slice(0, 4).map((suggestion) => (
          <button key={suggestion} type="button" className="chip" onClick={() => void onAsk(suggestion)}>
            {suggestion}
          </button>
        ))}
      </p>
    </>
  );
}
