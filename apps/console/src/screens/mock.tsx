import { CopyButton } from "../parts/copy-button.tsx";
import { CodeText } from "../parts/elements.tsx";
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
          It serves every operation of this API on your machine. It has 500 sample products, searches them as
          this service does, and keeps in memory what you create: webhooks, which it delivers, products,
          rules, synonyms and counts of searches. Any token is accepted, and is an account of its own. It does
          not look at images.
        </p>
      </section>
      <div className="stack">
        <section className="panel stack" aria-labelledby="start">
          <h2 id="start">Start the mock</h2>
          <Command text="npx @product-search/mock --port 4010" />
          <p>
            Then try <a href={trial}>a search for a mug</a>. All other paths are available under{" "}
            <code>{base}</code>.
          </p>
        </section>
        <section className="panel stack" aria-labelledby="ask">
          <h2 id="ask">Choose the response</h2>
          <p>
            The <code>Prefer</code> header chooses the response: <code>code</code> the status,{" "}
            <code>example</code> a named example, <code>dynamic=true</code> generated data that fits the
            schema.
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

/** A line for a terminal. */
function Command({ text }: { text: string }) {
  return (
    <div className="command line">
      <CodeText text={text} />
      <CopyButton text={text} />
    </div>
  );
}
