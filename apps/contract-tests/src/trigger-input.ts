import type { Operation } from "./operations.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { Partner, Target } from "./partner.ts";

export interface TriggerInput {
  request: OutgoingRequest;
  operation: Operation;
  partner: Partner;
  target: Target;
  /** Existing identifiers, by the name of the parameter that takes them. */
  ids: Readonly<Record<string, string>>;
}
