import { EmptyNotice } from "../notice.tsx";
import { OperatorLink } from "../operator-link.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";

/** Stands where a response would while the token lacks the scope `merchandising`. */
export function ScopeNotice({ what }: { what: string }) {
  return (
    <EmptyNotice title={`${what} needs a token of the scope “merchandising”`}>
      <p>
        Your token does not have it. Whoever operates the service makes one with{" "}
        <code>pnpm api token create --account NAME --scopes search,merchandising</code>. The token that{" "}
        <code>pnpm start</code> prints has it. <OperatorLink>More about tokens</OperatorLink>
      </p>
      <button type="button" className="primary" popoverTarget={tokenBoxId}>
        Set another token
      </button>
    </EmptyNotice>
  );
}
