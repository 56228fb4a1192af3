import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const model = z.object({ model: z.string(), encoder: z.string().optional() });

/** The model whose vectors were searched last, and the file of its learned encoder, to load it again after a change. */
export type SearchedModel = z.infer<typeof model>;

const fileOf = (folder: string) => join(folder, "searched-model.json");

/** Undefined if this node has not searched any yet. */
export function readSearchedModel(folder: string): SearchedModel | undefined {
  try {
    return model.parse(JSON.parse(readFileSync(fileOf(folder), "utf8")));
  } catch {
    return undefined;
  }
}

export function writeSearchedModel(folder: string, { model, encoder }: SearchedModel): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${fileOf(folder)}.draft`;
  writeFileSync(draft, JSON.stringify({ model, encoder }));
  renameSync(draft, fileOf(folder));
}
