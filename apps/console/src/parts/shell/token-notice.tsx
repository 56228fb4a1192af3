import { EmptyNotice } from "../notice.tsx";
import { tokenBoxId } from "./token-box-id.ts";

/** Stands where a response would, on screens that cannot ask for one of a stranger. */
export function TokenNotice({ what }: { what: string }) {
  return (
    <EmptyNotice title={`Sign in to use ${what}`}>
      <p>
        Open the invitation that you were sent. If you have none, or it was used, ask whoever runs the service
        for another one. Engineers can set a token instead.
      </p>
      <button type="button" className="primary" popoverTarget={tokenBoxId}>
        Set a token
      </button>
    </EmptyNotice>
  );
}
