import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { createMock } from "../src/create-mock.ts";
import { document } from "./documented.ts";

const server = await createMock(document);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
afterAll(() => server.close());

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
const blocks = /```sh\n(curl [\s\S]*?)\n```(?:\n\n```json\n([\s\S]*?)\n```)?/g;
const examples = [...readme.matchAll(blocks)].map(([, command = "", shown]) => ({ command, shown }));

it("has examples", () => expect(examples.length).toBe(5));

it.each(examples)("runs as written: $command", async ({ command, shown }) => {
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    command.replace("localhost:4010", `127.0.0.1:${port}`),
  ]);
  const response: unknown = JSON.parse(stdout);
  expect(response).toEqual(
    shown === undefined ? expect.objectContaining({ status: "success" }) : JSON.parse(shown),
  );
});
