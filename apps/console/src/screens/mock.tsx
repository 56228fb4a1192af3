import { Command } from "../parts/command.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

const base = "http://127.0.0.1:4010/api/v1";
const trial = `${base}/search/trial?q=mug`;

/** How partners try an integration without this service. The commands are those of docs/partners.md. */
export function MockScreen() {
  usePageTitle("The mock");
  return (
    <>
      <section className="hero">
        <h1>The mock</h1>
        <p className="muted">
          It answers every operation of this service from the same document: no products, no account, any
          token.
        </p>
      </section>
      <div className="stack">
        <section className="panel stack" aria-labelledby="start">
          <h2 id="start">Start it on your machine</h2>
          <Command text="npx @product-search/mock --port 4010" />
          <p>
            Then <a href={trial}>a search for a mug</a> answers, and so does every other path below{" "}
            <code>{base}</code>.
          </p>
        </section>
        <section className="panel stack" aria-labelledby="ask">
          <h2 id="ask">Ask for the answer you want to see</h2>
          <p>
            The header <code>Prefer</code> chooses: <code>code</code> the status, <code>example</code> one of
            the examples by its name, <code>dynamic=true</code> invents answers that fit the schema.
          </p>
          <Command
            text={`curl -s '${base}/search/marketplace-a?q=mug' -H 'Authorization: Bearer any' -H 'Prefer: code=429'`}
          />
          <Command
            text={`curl -s '${base}/search/marketplace-a?q=mug' -H 'Authorization: Bearer any' -H 'Prefer: dynamic=true'`}
          />
        </section>
      </div>
    </>
  );
}
