import { OutboundError, type OutboundRequest } from "@product-search/core/ports/outbound-http.ts";
import { expect, it } from "vitest";
import { attemptDelivery } from "./attempt-delivery.ts";

it("waits 15 seconds for the target, and retries later", async () => {
  const sent: OutboundRequest[] = [];
  const webhookHttp = {
    send: async (request: OutboundRequest) => {
      sent.push(request);
      throw new OutboundError("timeout", "No respond within 15000 ms.");
    },
  };
  const task = {
    key: 1,
    webhook: { key: 1, accountId: "acc_1", failing: false },
    url: "https://partner.example/hook",
    eventId: "ev_1",
    body: "{}",
    signingKeys: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    test: false,
    attempt: 1,
    failures: 0,
  };
  const deps = { webhookHttp, clock: { now: () => 0 }, random: () => 0.5 };
  const { attempt } = await attemptDelivery(deps, task, new AbortController().signal);
  expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000]);
  expect(attempt).toMatchObject({ verdict: "retry", error: "No respond within 15000 ms." });
});
