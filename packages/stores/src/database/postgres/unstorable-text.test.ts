import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { describe, expect, it } from "vitest";
import { createUnstorableTextPlugin } from "./errors.ts";

const db = new Kysely<{ things: { id: string; name: string } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (introspected) => new PostgresIntrospector(introspected),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [createUnstorableTextPlugin()],
});
const select = () => db.selectFrom("things").select("name");

describe("a comparison with text that PostgreSQL cannot store", () => {
  it("is false", () => {
    const { sql, parameters } = select().where("id", "=", "a\u0000b").where("name", "=", "c").compile();
    expect(sql).toBe('select "name" from "things" where 1 = 0 and "name" = $1');
    expect(parameters).toEqual(["c"]);
  });

  it("leaves the text out of a list", () => {
    const { sql, parameters } = select().where("id", "in", ["a", "\u0000", "b"]).compile();
    expect(sql).toBe('select "name" from "things" where "id" in ($1, $2)');
    expect(parameters).toEqual(["a", "b"]);
    expect(select().where("id", "in", ["\u0000"]).compile().sql).toContain("where 1 = 0");
  });

  it("is false in updates, deletions and inner queries", () => {
    const inner = select().where("id", "=", "\u0000");
    for (const { sql, parameters } of [
      db.updateTable("things").set({ name: "x" }).where("id", "=", "\u0000").compile(),
      db.deleteFrom("things").where("id", "=", "\u0000").compile(),
      select().where("name", "in", inner).compile(),
    ]) {
      expect(sql).toContain("where 1 = 0");
      expect(parameters.join("")).not.toContain("\u0000");
    }
  });

  it("stays an error when it is written", () => {
    const { parameters } = db.insertInto("things").values({ id: "\u0000", name: "x" }).compile();
    expect(parameters).toEqual(["\u0000", "x"]);
    expect(db.updateTable("things").set({ name: "\u0000" }).compile().parameters).toEqual(["\u0000"]);
  });
});
