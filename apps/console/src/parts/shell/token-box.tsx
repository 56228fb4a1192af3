import { useId, useRef, useState } from "react";
import { useService } from "../../service/service-context.tsx";
import { tokenBoxId } from "./token-box-id.ts";

/** The access token: kept while this tab is open unless asked to be remembered, and never in a URL that is sent. */
export function TokenBox() {
  const { token, remembered, setToken } = useService();
  const id = useId();
  const box = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(token);
  const [remember, setRemember] = useState(remembered);
  return (
    <>
      <button type="button" className="token-button" popoverTarget={tokenBoxId}>
        <span className={token ? "status-dot on" : "status-dot"} aria-hidden="true" />
        {token ? "Token set" : "Set token"}
      </button>
      <form
        id={tokenBoxId}
        ref={box}
        popover="auto"
        className="popover"
        onSubmit={(event) => {
          event.preventDefault();
          setToken(draft.trim(), remember);
          box.current?.hidePopover();
        }}
      >
        <label htmlFor={`${id}-token`}>Access token</label>
        <input
          id={`${id}-token`}
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="pss_…"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <p className="hint">
          <code>pnpm start</code> prints a token. Text search works without one. The token is kept until you
          close this tab.
        </p>
        <label className="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          Remember the token in this browser
        </label>
        <div className="row">
          <button type="submit" className="primary">
            Save
          </button>
          <button
            type="button"
            disabled={token === "" && draft === ""}
            onClick={() => {
              setDraft("");
              setToken("", false);
              setRemember(false);
            }}
          >
            Remove
          </button>
        </div>
      </form>
    </>
  );
}
