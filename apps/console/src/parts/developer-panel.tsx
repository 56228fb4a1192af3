import { useState } from "react";
import { useService } from "../service/service-context.tsx";
import { type RequestSnippet, toClientCode, toCurl } from "../service/snippets.ts";
import { CopyButton } from "./copy-button.tsx";

/** The request that the screen made, ready to paste. */
export function DeveloperPanel({ request }: { request: RequestSnippet }) {
  const { baseUrl } = useService();
  const [kind, setKind] = useState<"curl" | "client">("curl");
  const text = kind === "curl" ? toCurl(baseUrl, request) : toClientCode(baseUrl, request);
  return (
    <details className="developer-panel">
      <summary>
        Show the request <code>{`${request.method} ${request.path}`}</code>
      </summary>
      <div className="row spread">
        <fieldset className="segmented">
          <legend className="visually-hidden">Show as</legend>
          {(["curl", "client"] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="snippet" checked={kind === one} onChange={() => setKind(one)} />
              <span>{one === "curl" ? "curl" : "Client"}</span>
            </label>
          ))}
        </fieldset>
        <CopyButton text={text} />
      </div>
      <pre>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
        <code tabIndex={0}>{text}</code>
      </pre>
    </details>
  );
}
