import { useState } from "react";
import { useService } from "../service/service-context.tsx";
import { type RequestSnippet, toClientCode, toCurl } from "../service/snippets.ts";
import { CopyButton } from "./copy-button.tsx";
import { CodeText } from "./elements.tsx";

/** The requests that a screen makes, ready to paste. */
export function DeveloperPanel({ requests }: { requests: readonly [RequestSnippet, ...RequestSnippet[]] }) {
  const { baseUrl, isEngineer } = useService();
  const [kind, setKind] = useState<"curl" | "client">("curl");
  const [chosen, setChosen] = useState(0);
  const request = requests[chosen] ?? requests[0];
  if (!isEngineer) return null;
  const text = kind === "curl" ? toCurl(baseUrl, request) : toClientCode(baseUrl, request);
  return (
    <details className="developer-panel panel">
      <summary className="muted ellipsis">
        Show the request <code>{`${request.method} ${request.path}`}</code>
      </summary>
      <div className="row spread">
        <div className="row">
          {requests.length > 1 && (
            <select
              aria-label="Request"
              value={requests.indexOf(request)}
              onChange={(event) => setChosen(Number(event.target.value))}
            >
              {requests.map(({ title }, index) => (
                <option key={title} value={index}>
                  {title}
                </option>
              ))}
            </select>
          )}
          <fieldset className="segmented">
            <legend className="visually-hidden">Show as</legend>
            {(["curl", "client"] as const).map((one) => (
              <label key={one}>
                <input type="radio" checked={kind === one} onChange={() => setKind(one)} />
                <span>{one === "curl" ? "curl" : "Client"}</span>
              </label>
            ))}
          </fieldset>
        </div>
        <CopyButton text={text} />
      </div>
      <CodeText text={text} />
    </details>
  );
}
