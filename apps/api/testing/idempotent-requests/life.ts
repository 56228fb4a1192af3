import { killAtWrite } from "../webhook-histories/kill-at-write.ts";
import { type RequestPlan, sendRequests } from "./send-requests.ts";

/** What a life is started with, as JSON in its first argument: it dies before its nth write, if it comes to that. */
export interface LifePlan extends RequestPlan {
  atWrite: number;
}

const plan: LifePlan = JSON.parse(process.argv[2] ?? "");
await sendRequests(plan, () => killAtWrite(plan.atWrite, true));
