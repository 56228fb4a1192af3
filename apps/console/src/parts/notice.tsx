import { isProductSearchError } from "@product-search/client";
import { type ReactNode, useEffect, useState } from "react";
import { useService } from "../service/service-context.tsx";
import { OperatorLink } from "./elements.tsx";
import { tokenBoxId } from "./shell/token-box-id.ts";

/** Says what went wrong and what to do, in the words of the service. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { isEngineer, person } = useService();
  const { title, text, code, requestId, waitSeconds, needsToken, isUnreachable } = describe(
    error,
    person !== undefined,
  );
  const left = useCountdown(waitSeconds, error);
  useEffect(() => {
    if (!isUnreachable) return;
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, [isUnreachable, onRetry]);
  return (
    <div className="notice panel error">
      {/* The countdown stays outside: it would be read out every second. */}
      <div role="alert">
        <h2>{title}</h2>
        <p>{text}</p>
        {requestId && (
          <p className="hint">
            For support: <code>{requestId}</code>
          </p>
        )}
      </div>
      {isEngineer && code === "webhook_target_forbidden" && (
        <p className="hint">
          <OperatorLink>Operators allow networks with WEBHOOK_ALLOW_NETWORKS</OperatorLink>
        </p>
      )}
      <div className="row">
        {needsToken && !person && (
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
    <div className="notice panel" role="status">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

interface Description {
  title: string;
  text: string;
  code?: string;
  requestId?: string | undefined;
  waitSeconds: number;
  needsToken: boolean;
  isUnreachable: boolean;
}

const unknownTitle = "The request failed";

function describe(error: unknown, isPerson: boolean): Description {
  if (!isProductSearchError(error)) {
    const text = error instanceof Error ? error.message : "An unexpected error occurred on this page.";
    return { title: unknownTitle, text, waitSeconds: 0, needsToken: false, isUnreachable: false };
  }
  const { requestId, message, code } = error;
  const [title, text] = (isPerson ? personTexts[code] : undefined) ?? [titles[code], ownTexts[code]];
  return {
    title: title ?? unknownTitle,
    text: text ?? message.replace(saidElsewhere, ""),
    code,
    requestId,
    waitSeconds: Math.min(Number(error.response?.headers.get("retry-after") ?? 0) || 0, 86_400),
    needsToken: code === "unauthorized" || code === "forbidden",
    isUnreachable: code === "network_error",
  };
}

const titles: Partial<Record<string, string>> = {
  unauthorized: "A valid token is required",
  forbidden: "The token does not allow this",
  rate_limited: "Too many requests",
  invalid_request: "The request is not valid",
  invalid_image: "The image cannot be read",
  payload_too_large: "The image is too large",
  webhook_target_forbidden: "The target URL is not allowed",
  unavailable: "The service is busy",
  rule_changed: "Somebody else has changed this rule",
  rule_not_found: "The rule does not exist any more",
  rule_limit_reached: "There are too many rules",
  upstream_failed: "The marketplace does not respond",
  upstream_timeout: "The marketplace did not respond in time",
  network_error: "The service cannot be reached",
  timeout: "The service did not respond in time",
  internal_error: "The service reported an error",
};

/** To somebody who has signed in, and has no token. */
const personTexts: Partial<Record<string, readonly [title: string, text: string]>> = {
  unauthorized: [
    "Your session is over",
    "Ask whoever invited you for another invitation, or load the page again.",
  ],
  forbidden: ["This is not open to you", "Ask whoever invited you for another invitation."],
};

/** What the title says as well, and what the button counts down. */
const saidElsewhere =
  /^(?:Too many requests: |Validation error: Webhook validation failed: )| Try again in \d+ seconds?\.$/g;

/** Where the service itself said nothing, or nothing that helps somebody in front of this page. */
const ownTexts: Partial<Record<string, string>> = {
  invalid_image: "The file is damaged, or is not a JPEG, PNG, WebP, AVIF or GIF image.",
  unauthorized: "No token is set, or the token is unknown, expired or revoked.",
  rule_changed: "The list shows the rule as it is now. Repeat your change if it is still right.",
  network_error: "There was no response. The service may be stopped, or the network connection may be down.",
  timeout: "It may be busy. Try again.",
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
