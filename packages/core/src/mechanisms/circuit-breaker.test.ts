import { describe, expect, it } from "vitest";
import {
  type CallEnding,
  type Circuit,
  type CircuitBreakerSettings,
  createCircuitBreaker,
} from "./circuit-breaker.ts";

function breakerOf(changes: Partial<CircuitBreakerSettings> = {}) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const states: Circuit[] = [];
  const breaker = createCircuitBreaker({
    clock,
    judgedCalls: 4,
    isFailing: (failures, calls) => calls >= 2 && failures > calls / 2,
    openMs: (probes) => 100 * 2 ** probes,
    maxProbes: 1,
    onChange: (state) => states.push(state),
    ...changes,
  });
  /** Makes a call. False if the circuit refused it. */
  const call = (ending: CallEnding): boolean => {
    const end = breaker.enter();
    end?.(ending);
    return end !== undefined;
  };
  return { breaker, clock, states, call };
}

describe("closed", () => {
  it("opens when too many of the judged calls failed", () => {
    const { call, states } = breakerOf();
    for (const ending of ["succeeded", "failed", "succeeded", "failed"] as const) call(ending);
    expect(states).toEqual([]);
    // The first success is no longer judged.
    call("failed");
    expect(states).toEqual(["open"]);
    expect(call("succeeded")).toBe(false);
  });

  it("does not count calls that were abandoned", () => {
    const { call, states } = breakerOf();
    for (let at = 0; at < 20; at++) call("abandoned");
    call("failed");
    expect(states).toEqual([]);
    call("failed");
    expect(states).toEqual(["open"]);
  });

  it("counts the first end of a call only", () => {
    const { breaker, states } = breakerOf();
    const end = breaker.enter();
    for (let at = 0; at < 5; at++) end?.("failed");
    expect(states).toEqual([]);
  });
});

describe("half-open", () => {
  const opened = (changes: Partial<CircuitBreakerSettings> = {}) => {
    const fixture = breakerOf(changes);
    fixture.call("failed");
    fixture.call("failed");
    fixture.clock.nowMs += 100;
    return fixture;
  };

  it("lets only so many calls probe, and closes when one succeeds", () => {
    const { breaker, call, states } = opened();
    const end = breaker.enter();
    expect(breaker.state).toBe("half-open");
    expect(call("succeeded")).toBe(false);
    end?.("succeeded");
    expect(states).toEqual(["open", "half-open", "closed"]);
    call("failed");
    expect(breaker.state).toBe("closed");
  });

  it("opens again after a failed probe, for longer, and starts anew after a success", () => {
    const { breaker, clock, call } = opened();
    call("failed");
    clock.nowMs += 199;
    expect(call("succeeded")).toBe(false);
    clock.nowMs += 1;
    expect(call("succeeded")).toBe(true);
    call("failed");
    call("failed");
    expect(breaker.state).toBe("open");
    clock.nowMs += 100;
    expect(call("succeeded")).toBe(true);
  });

  it("lets another call probe after one that was abandoned", () => {
    const { breaker, call } = opened();
    call("abandoned");
    expect(breaker.state).toBe("half-open");
    expect(call("failed")).toBe(true);
    expect(breaker.state).toBe("open");
  });

  it("ignores calls from before the circuit opened", () => {
    const { breaker, call, clock } = breakerOf();
    const [first, second] = [breaker.enter(), breaker.enter()];
    call("failed");
    call("failed");
    clock.nowMs += 100;
    const probe = breaker.enter();
    first?.("failed");
    second?.("succeeded");
    expect(breaker.state).toBe("half-open");
    expect(call("succeeded")).toBe(false);
    probe?.("succeeded");
    expect(breaker.state).toBe("closed");
  });

  it("counts several probes", () => {
    const { breaker, call } = opened({ maxProbes: 2 });
    const probes = [breaker.enter(), breaker.enter()];
    expect(call("succeeded")).toBe(false);
    probes[0]?.("abandoned");
    expect(call("abandoned")).toBe(true);
    probes[1]?.("failed");
    expect(breaker.state).toBe("open");
  });
});
