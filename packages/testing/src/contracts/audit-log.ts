import type { Actor, AuditLog } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export interface AuditLogFixture {
  log: AuditLog;
  close(): Promise<void>;
}

const command: Actor = { kind: "command", user: "operator", host: "machine" };
const token: Actor = { kind: "token", tokenId: "t", accountId: "a", address: "192.0.2.1" };

/** Tests for every audit log. */
export function describeAuditLog(open: (clock: Clock) => Promise<AuditLogFixture>): void {
  let fixture: AuditLogFixture;
  let log: AuditLog;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs });
    log = fixture.log;
  });
  afterEach(() => fixture.close());

  test("lists what was recorded, newest first, with its actor", async () => {
    await log.writer(command).record("token.created", "t", { account: "own", count: 2, isFirst: true });
    nowMs += 1000;
    await log.writer(token).record("webhook.created", "wh");
    expect(await log.list({ limit: 10 })).toEqual({
      entries: [
        { atMs: nowMs, action: "webhook.created", subject: "wh", details: {}, actor: token },
        {
          atMs: nowMs - 1000,
          action: "token.created",
          subject: "t",
          details: { account: "own", count: 2, isFirst: true },
          actor: command,
        },
      ],
    });
  });

  test("can be read in pages without gaps or repetitions", async () => {
    for (let entry = 0; entry < 7; entry++) await log.writer(command).record("token.revoked", String(entry));
    const subjects: string[] = [];
    let before: number | undefined;
    do {
      const page = await log.list({ limit: 3, ...(before !== undefined && { before }) });
      subjects.push(...page.entries.map(({ subject }) => subject));
      before = page.next;
    } while (before !== undefined);
    expect(subjects).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
  });
}
