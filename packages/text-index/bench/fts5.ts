import { DatabaseSync } from "node:sqlite";
import type { DocumentFields } from "../src/index.ts";

export type Fts5Tokenizer = "unicode61 remove_diacritics 2" | "porter unicode61 remove_diacritics 2";

/** An FTS5 table with the same fields. Row ids start at 1, in the order of the documents. */
export function buildFts5(
  documents: Iterable<DocumentFields>,
  tokenizer: Fts5Tokenizer,
  path = ":memory:",
): DatabaseSync {
  const database = new DatabaseSync(path, { defensive: false });
  database.exec(
    `pragma journal_mode = OFF; pragma synchronous = OFF;
     create virtual table documents using fts5 (name, brand, category, store, description,
       content='', tokenize='${tokenizer}')`,
  );
  const insert = database.prepare(
    "insert into documents (rowid, name, brand, category, store, description) values (?, ?, ?, ?, ?, ?)",
  );
  database.exec("begin");
  let row = 0;
  for (const { name, brand, category, store, description } of documents) {
    row++;
    insert.run(row, name, brand, category, store, description);
  }
  database.exec("commit; insert into documents (documents) values ('optimize')");
  return database;
}

/** Quotes every word, so that none is an operator. */
export function fts5Query(text: string, operator: "AND" | "OR"): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `"${word}"`).join(` ${operator} `);
}
