import { describeUploadedImageStore } from "@product-search/testing/contracts/uploaded-image-store.ts";
import { describe } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openMemoryDatabase } from "../database/open.ts";
import { createSqlUploadedImageStore } from "./uploaded-image-store.ts";

describe("the SQLite image store", () => {
  describeUploadedImageStore(async (settings) => {
    const { db, close } = await openMemoryDatabase();
    return { store: createSqlUploadedImageStore({ db, ...settings }), close };
  });
});

describeOnPostgres("the PostgreSQL image store", () => {
  describeUploadedImageStore(async (settings) => {
    const { db, close } = await openTestPostgres();
    return { store: createSqlUploadedImageStore({ db, ...settings }), close };
  });
});
