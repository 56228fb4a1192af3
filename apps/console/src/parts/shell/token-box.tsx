import { useEffect, useId, useRef, useState } from "react";
import { isRefused, type Person, useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { tokenBoxId } from "./token-box-id.ts";

/** The access token: kept while this tab is open unless asked to be remembered, and never in a URL that is sent. */
export function TokenBox() {
  const { token, person } = useService();
  const box = useRef<HTMLDivElement>(null);
  const check = useRequest(token || undefined, (signal) => isRefused(token, signal));
  const isInvalid = token !== "" && check.phase === "done" && check.response;
  if (person !== undefined) return <PersonBox person={person} />;
  return (
    <>
      <button type="button" className="token-button line" popoverTarget={tokenBoxId}>
        <span className={dotClass(token, isInvalid)} aria-hidden="true" />
        {isInvalid ? "Invalid token" : token ? "Token set" : "Set token"}
      </button>
      <div id={tokenBoxId} ref={box} popover="auto" className="popover">
        <TokenForm isInvalid={isInvalid} onDone={() => box.current?.hidePopover()} />
      </div>
    </>
  );
}

function PersonBox({ person: { name, isByProxy } }: { person: Person }) {
  const { signOut } = useService();
  return (
    <>
      <button type="button" className="token-button line" popoverTarget={tokenBoxId}>
        <span className="status-dot on" aria-hidden="true" />
        <span className="token-name ellipsis">{name}</span>
      </button>
      <div id={tokenBoxId} popover="auto" className="popover">
        <div className="token-form">
          <p>
            You are signed in as {name}.{" "}
            {isByProxy ? "To sign out, use your company’s sign-in." : "The session ends after twelve hours."}
          </p>
          <EngineerSwitch />
          {!isByProxy && (
            <div className="row">
              <button type="button" onClick={() => void signOut()}>
                Sign out
              </button>
            </div>
          )}
        </div>
      </div>
    </>
  );
}

function EngineerSwitch() {
  const { isEngineer, setEngineer } = useService();
  return (
    <label className="line">
      <input type="checkbox" checked={isEngineer} onChange={(event) => setEngineer(event.target.checked)} />
      Show what engineers need
    </label>
  );
}

function dotClass(token: string, isInvalid: boolean): string {
  if (isInvalid) return "status-dot off";
  return token ? "status-dot on" : "status-dot";
}

interface TokenFormProps {
  /** Whether the service refuses the token of this tab. */
  isInvalid: boolean;
  onDone: () => void;
}

/** A token is checked before it is kept: what the service refuses is said here, and replaces nothing. */
function TokenForm({ isInvalid, onDone }: TokenFormProps) {
  const { token, remembered, setToken } = useService();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(token);
  const [remember, setRemember] = useState(remembered);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    if (isInvalid) setRefused(token);
  }, [isInvalid, token]);
  const isFault = refused !== "" && draft.trim() === refused;

  async function save() {
    const next = draft.trim();
    setBusy(true);
    const isBad = next !== "" && (await isRefused(next));
    setBusy(false);
    if (isBad) {
      setRefused(next);
      field.current?.focus();
      return;
    }
    setToken(next, remember);
    onDone();
  }
  return (
    <form
      className="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label htmlFor={`${id}-token`}>Access token</label>
      <input
        ref={field}
        id={`${id}-token`}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="pss_…"
        aria-invalid={isFault}
        aria-describedby={isFault ? `${id}-fault` : undefined}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      {isFault && (
        <p id={`${id}-fault`} className="field-fault" role="alert">
          The service does not accept this token. It is unknown, expired or revoked.
        </p>
      )}
      <p className="hint">
        <code>pnpm start</code> prints a token. Text search works without one. The token is kept until you
        close this tab.
      </p>
      <label className="line">
        <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
        Remember the token in this browser
      </label>
      <EngineerSwitch />
      <div className="row">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? "Checking…" : "Save"}
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
  );
}
