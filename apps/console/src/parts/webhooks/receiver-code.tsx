import { CodeText } from "../code-text.tsx";
import { CopyButton } from "../copy-button.tsx";

const code = `// receiver.mts: run it with \`WEBHOOK_KEY=whsec_… node receiver.mts\` (Node 24 or later)
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook } from "@product-search/client";

const apiKey = process.env.WEBHOOK_KEY ?? "";
const port = Number(process.env.PORT ?? 4500);

createServer(async (request, response) => {
  // The bytes as they came: a body that was parsed and written again has another signature.
  const body = await buffer(request);
  try {
    const event = await verifyWebhook(body, request.headers, apiKey);
    console.log(event.type, event.data.productId, event.data.previous, "->", event.data.current);
    response.writeHead(204).end();
  } catch (error) {
    console.error(String(error));
    response.writeHead(400).end("not verified");
  }
}).listen(port, () => console.log(\`Receiving on http://127.0.0.1:\${port}/\`));
`;

/** A program that receives and verifies deliveries, ready to run. */
export function ReceiverCode() {
  return (
    <details className="panel receiver">
      <summary>A receiver to copy</summary>
      <div className="row spread">
        <p>
          It needs <code>npm install @product-search/client</code>. Set <code>WEBHOOK_KEY</code> to the key of
          the webhook.
        </p>
        <CopyButton text={code} label="Copy the receiver" />
      </div>
      <CodeText text={code} />
    </details>
  );
}
