import { expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../../testing/postgres.ts";
import { lastChange, markOfHistory, numberChanges } from "./number-changes.ts";

describeOnPostgres("the mark of a history", () => {
  test("is stable, and differs in another database whose changes have the same sequences", async () => {
    const databases = await Promise.all([openTestPostgres(), openTestPostgres()]);
    try {
      const marks: string[] = [];
      for (const { db } of databases) {
        expect(await markOfHistory(db, "changes", 0)).toBe("none");
        await db.transaction().execute((transaction) => numberChanges(transaction, "vector_changes", [1, 2]));
        const last = await lastChange(db, "vector_changes");
        const mark = await markOfHistory(db, "vector_changes", last);
        await db.transaction().execute((transaction) => numberChanges(transaction, "vector_changes", [3]));
        expect(await markOfHistory(db, "vector_changes", last)).toBe(mark);
        expect(await markOfHistory(db, "vector_changes", last + 1)).not.toBe(mark);
        marks.push(mark);
      }
      expect(new Set(marks).size).toBe(2);
    } finally {
      await Promise.all(databases.map(({ close }) => close()));
    }
  });
});
