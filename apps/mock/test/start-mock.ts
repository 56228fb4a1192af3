import { once } from "node:events";
import { afterAll } from "vitest";
import { createMock, type MockOptions, originOf } from "../src/create-mock.ts";
import { openData, openDocuments } from "../src/service/open-data.ts";

const folder = new URL("../dist/", import.meta.url);
const data = openData(folder);

/** A mock on a free port until the end of the file's tests, unless it is stopped before. */
export async function startMock(options: Partial<MockOptions> = {}) {
  const mock = createMock({ readDocument: openDocuments(folder), data, ...options });
  mock.server.listen(0, "127.0.0.1");
  await once(mock.server, "listening");
  afterAll(mock.stop);
  await mock.started;
  const origin = originOf(mock.server);
  return { origin, baseUrl: `${origin}/api/v1`, port: new URL(origin).port, stop: mock.stop };
}
