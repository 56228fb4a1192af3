import { once } from "node:events";
import type { Lease, Leases } from "@product-search/core/ports/leases.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** For a busy machine. */
const eventually = { timeout: 30_000, interval: 20 };

/** Tests for all leases, of one node or of many. */
export function describeLeases(open: () => Promise<{ leases: Leases; close(): Promise<void> }>): void {
  let leases: Leases;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ leases, close } = await open());
  });
  afterEach(() => close());

  const untilAborted = async ({ signal }: Lease) => {
    if (!signal.aborted) await once(signal, "abort");
  };

  test("run the work until it is stopped, and wait for its end", async () => {
    const steps: string[] = [];
    const leading = leases.lead("cleanup", async (lease) => {
      steps.push(`begun ${lease.job}`);
      await untilAborted(lease);
      steps.push("aborted");
      await new Promise((resolve) => setTimeout(resolve, 50));
      steps.push("ended");
    });
    await vi.waitFor(() => expect(steps).toEqual(["begun cleanup"]), eventually);
    await leading.stop();
    expect(steps).toEqual(["begun cleanup", "aborted", "ended"]);
    await leading.ended;
  });

  test("of different jobs are held at the same time", async () => {
    const running = new Set<string>();
    const work = async (lease: Lease) => {
      running.add(lease.job);
      await untilAborted(lease);
      running.delete(lease.job);
    };
    const [first, second] = [leases.lead("cleanup", work), leases.lead("pictures", work)];
    await vi.waitFor(() => expect(running).toEqual(new Set(["cleanup", "pictures"])), eventually);
    await first.stop();
    expect(running).toEqual(new Set(["pictures"]));
    await second.stop();
  });

  test("run work again that has ended, with a higher number", async () => {
    const numbers: number[] = [];
    const leading = leases.lead("cleanup", async (lease) => {
      numbers.push(lease.number);
      if (numbers.length > 1) await untilAborted(lease);
    });
    await vi.waitFor(() => expect(numbers).toHaveLength(2), eventually);
    await leading.stop();
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? 0);
  });

  test("report a failure of the work", async () => {
    const leading = leases.lead("cleanup", async () => {
      throw new Error("no");
    });
    await expect(leading.ended).rejects.toThrow("no");
  });

  test("ignore how the work fails once it is stopped", async () => {
    const begun = vi.fn();
    const leading = leases.lead("cleanup", async (lease) => {
      begun();
      await untilAborted(lease);
      throw new Error("The database was closed.");
    });
    await vi.waitFor(() => expect(begun).toHaveBeenCalled(), eventually);
    await leading.stop();
    await leading.ended;
  });
}
