import { killAtWrite } from "../import-fixture.ts";
import { type RequestPlan, sendRequests } from "./send-requests.ts";

/**
 * The start parameters as JSON in the first argument. The process is killed before its nth write, if it gets that
 * far.
 */
export interface LifePlan extends RequestPlan {
  atWrite: number;
}

const plan: LifePlan = JSON.parse(process.argv[2] ?? "");
await sendRequests(plan, () => killAtWrite(plan.atWrite, true));
