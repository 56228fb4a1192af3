import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { backUp, restore } from "./backup.ts";

test("with PostgreSQL, backups of the database file are refused with a remedy", async () => {
  const config = readConfig({
    DATABASE_URL: "postgres://127.0.0.1/search",
    SECRET_KEY: btoa("x".repeat(32)),
  });
  await expect(backUp(config, "/nowhere", undefined)).rejects.toThrow("pg_dump");
  await expect(restore(config, "/nowhere", false)).rejects.toThrow("pg_restore");
});
