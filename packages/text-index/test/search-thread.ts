import { parentPort } from "node:worker_threads";
import { openIndex, type Snapshot, type TextIndex } from "../src/index.ts";

// Runs searches on the last snapshot that it received.
let index: TextIndex | undefined;
parentPort?.on("message", ({ snapshot, text }: { snapshot?: Snapshot; text: string }) => {
  if (snapshot !== undefined) index = openIndex(snapshot, index);
  parentPort?.postMessage(index?.search({ text, offset: 0, limit: 5 }));
});
