import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The model whose vectors were searched last, and the file of its learned encoder, to load it again after a change. */
export interface SearchedModel {
  model: string;
  encoder?: string | undefined;
}

const fileOf = (folder: string) => join(folder, "searched-model.json");

/** Undefined if this node has not searched any yet. */
export function readSearchedModel(folder: string): SearchedModel | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(folder), "utf8"));
    return isSearchedModel(kept) ? kept : undefined;
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

function isSearchedModel(kept: unknown): kept is SearchedModel {
  if (typeof kept !== "object" || kept === null || !("model" in kept)) return false;
  const encoder = "encoder" in kept ? kept.encoder : undefined;
  return typeof kept.model === "string" && (encoder === undefined || typeof encoder === "string");
}
