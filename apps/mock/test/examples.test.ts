import { expect, it } from "vitest";
import { documented } from "./documented.ts";
import { startMock } from "./start-mock.ts";

const { baseUrl } = await startMock();
const successes = documented.filter(({ status, type }) => status < 300 && type === "application/json");
// No parameter of the catalog search is required, but one of several is.
const addressOf = ({ operationId, path }: (typeof successes)[number]) =>
  `${baseUrl}${path}${operationId === "searchCatalog" ? "?q=mug" : ""}`;
const operations = [...new Map(successes.map((one) => [one.operationId, one])).values()];

it.each(operations)("the document's example of a request to $operationId succeeds", async (operation) => {
  const { method, body, status } = operation;
  const response = await fetch(addressOf(operation), {
    method,
    headers: {
      authorization: "Bearer any",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, await response.text()).toBe(status);
});

it("other identifiers are still unknown", async () => {
  const response = await fetch(`${baseUrl}/products/p_1`, { headers: { authorization: "Bearer any" } });
  expect(response.status).toBe(404);
});
