import { isProductSearchError } from "@product-search/client";
import { type ReactNode, useEffect, useState } from "react";
import { tokenBoxId } from "./token-box-id.ts";

/** Says what went wrong and what to do, in the words of the service. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, text, requestId, waitSeconds, wantsToken, isUnreachable } = describe(error);
  const left = useCountdown(waitSeconds, error);
  useEffect(() => {
    if (!isUnreachable) return;
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, [isUnreachable, onRetry]);
  return (
    <div className="notice error">
      {/* The countdown stays outside: it would be read out every second. */}
      <div role="alert">
        <h2>{title}</h2>
        <p>{text}</p>
        {requestId && (
          <p className="hint">
            Request <code>{requestId}</code>
          </p>
        )}
      </div>
      <div className="row">
        {wantsToken && (
          <button type="button" className="primary" popoverTarget={tokenBoxId}>
            Set a token
          </button>
        )}
        <button type="button" onClick={onRetry} disabled={left > 0}>
          {left > 0 ? `Try again in ${left} s` : "Try again"}
        </button>
      </div>
    </div>
  );
}

/** `level` 1 where the notice is all that the page has. */
export function EmptyNotice({
  title,
  level = 2,
  children,
}: {
  title: string;
  level?: 1 | 2;
  children?: ReactNode;
}) {
  const Heading = `h${level}` as const;
  return (
    <div className="notice" role="status">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

interface Description {
  title: string;
  text: string;
  requestId?: string | undefined;
  waitSeconds: number;
  wantsToken: boolean;
  isUnreachable: boolean;
}

const unknownTitle = "That did not work";

function describe(error: unknown): Description {
  if (!isProductSearchError(error)) {
    const text = error instanceof Error ? error.message : "Something went wrong on this page.";
    return { title: unknownTitle, text, waitSeconds: 0, wantsToken: false, isUnreachable: false };
  }
  const { requestId, message, code } = error;
  return {
    title: titles[code] ?? unknownTitle,
    text: ownTexts[code] ?? message.replace(saidElsewhere, ""),
    requestId,
    waitSeconds: Number(error.response?.headers.get("retry-after") ?? 0) || 0,
    wantsToken: code === "unauthorized" || code === "forbidden",
    isUnreachable: code === "network_error",
  };
}

const titles: Partial<Record<string, string>> = {
  unauthorized: "This needs a valid token",
  forbidden: "The token may not do this",
  rate_limited: "Too many requests",
  invalid_request: "The request was refused",
  invalid_image: "That is not a picture we can read",
  payload_too_large: "That picture is too large",
  webhook_target_forbidden: "That target is not allowed",
  unavailable: "The service has no room right now",
  upstream_failed: "The marketplace does not answer",
  upstream_timeout: "The marketplace is too slow",
  network_error: "The service cannot be reached",
  timeout: "The service took too long",
  internal_error: "The service failed",
};

/** What the title says as well, and what the button counts down. */
const saidElsewhere =
  /^(?:Too many requests: |Validation error: Webhook validation failed: )| Try again in \d+ seconds?\.$/g;

/** Where the service itself said nothing, or nothing that helps somebody in front of this page. */
const ownTexts: Partial<Record<string, string>> = {
  invalid_image: "It is no JPEG, PNG, WebP, AVIF or GIF file, or it is damaged.",
  unauthorized: "No token is set, or the one that is set is unknown, expired or revoked.",
  network_error: "No answer came back. The service may be stopped, or the connection down.",
  timeout: "It did not answer in time. It may be busy; trying again often helps.",
};

function useCountdown(seconds: number, key: unknown): number {
  const [left, setLeft] = useState(seconds);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another error starts another countdown.
  useEffect(() => {
    setLeft(seconds);
    if (seconds <= 0) return;
    const until = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [seconds, key]);
  return left;
}
