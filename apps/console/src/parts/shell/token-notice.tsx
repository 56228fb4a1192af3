import { EmptyNotice } from "../notice.tsx";
import { OperatorLink } from "../operator-link.tsx";
import { tokenBoxId } from "./token-box-id.ts";

/** Stands where a response would, on screens that cannot ask for one without a token. */
export function TokenNotice({ what }: { what: string }) {
  return (
    <EmptyNotice title={`${what} needs a token`}>
      <p>
        <code>pnpm start</code> prints a token for development. Otherwise, ask the operator of the service for
        one: <OperatorLink>how operators create tokens</OperatorLink>.
      </p>
      <button type="button" className="primary" popoverTarget={tokenBoxId}>
        Set a token
      </button>
    </EmptyNotice>
  );
}
