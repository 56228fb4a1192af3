import { describe, expect, it } from "vitest";
import { dereference, type MediaType, operationsOf, readBundle } from "../scripts/document.ts";
import { violations } from "./validator.ts";

describe("examples", async () => {
  const operations = operationsOf(dereference(await readBundle()));

  function expectValidExample({ schema, example, examples }: MediaType): void {
    const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toBeDefined();
      expect(violations(schema, value)).toEqual([]);
    }
  }

  describe.each(operations)("$operation.operationId", ({ operation }) => {
    const documentedResponses = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, media]) => ({ status, type, media })),
    );
    it.each(documentedResponses)("$status $type has an example that fits its schema", ({ media }) =>
      expectValidExample(media),
    );

    it("has an example of every code, if a status can have several", () => {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const { schema, examples = {} } = content?.["application/json"] ?? { schema: {} };
        const codes = schema.properties?.code?.enum ?? [];
        if (codes.length > 1) expect(Object.keys(examples), status).toEqual(codes);
        for (const [name, { value }] of Object.entries(examples)) {
          if (codes.length > 0) expect(value, status).toMatchObject({ code: name });
        }
      }
    });

    it("has a valid example for each parameter, on the parameter itself", () => {
      for (const { name, schema, example } of operation.parameters ?? []) {
        expect(example, name).toBeDefined();
        expect(violations(schema, example), name).toEqual([]);
      }
    });

    it("has a valid example of its body, if it takes one", () => {
      for (const media of Object.values(operation.requestBody?.content ?? {})) expectValidExample(media);
    });

    it("has a valid example of each documented header", () => {
      for (const response of Object.values(operation.responses)) {
        for (const [name, { schema, example, required }] of Object.entries(response.headers ?? {})) {
          expect(violations(schema, example), name).toEqual([]);
          expect(required, name).toBe(true);
        }
      }
    });
  });
});

describe("links", async () => {
  const document = dereference(await readBundle());
  const operations = operationsOf(document);
  const links = operations.flatMap(({ operation: from }) =>
    Object.entries(from.responses).flatMap(([status, response]) =>
      Object.entries(response.links ?? {}).map(([name, link]) => ({ from, status, name, link, response })),
    ),
  );

  /** The value of a runtime expression such as `$response.body#/data/id` for an example body. */
  function resolve(expression: string, body: unknown): unknown {
    const [, pointer = ""] = expression.split("#/");
    return pointer.split("/").reduce((value, key) => Object(value)[key], body);
  }

  describe.each(links)("the link $name of $from.operationId $status", ({ from, link, response }) => {
    const target = operations.find(({ operation }) => operation.operationId === link.operationId)?.operation;

    it("leads to an operation and sets parameters that it has", () => {
      const names = target?.parameters?.map(({ name }) => name) ?? [];
      expect(names).toEqual(expect.arrayContaining(Object.keys(link.parameters)));
    });

    it("sets every required parameter", () => {
      const required = target?.parameters?.filter((parameter) => parameter.required).map(({ name }) => name);
      expect(Object.keys(link.parameters).toSorted()).toEqual(required?.toSorted());
    });

    it.each(Object.entries(link.parameters))("finds %s at %s", (_, expression) => {
      const [, own] = expression.split("$request.path.");
      if (own) {
        expect(from.parameters?.map(({ name }) => name)).toContain(own);
        return;
      }
      const { example, examples } = response.content?.["application/json"] ?? {};
      const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
      expect(bodies.map((body) => resolve(expression, body))).toContainEqual(expect.any(String));
    });
  });

  it("every operation with an identifier is the target of a link", () => {
    const reached = new Set(links.map(({ link }) => link.operationId));
    const takeIdentifier = operations.filter(({ operation }) =>
      operation.parameters?.some(({ name, required }) => required && /id$/i.test(name)),
    );
    expect(
      takeIdentifier.map(({ operation }) => operation.operationId).filter((id) => !reached.has(id)),
    ).toEqual([]);
  });
});

describe("callbacks", async () => {
  const bundle = await readBundle();
  const events = { priceAlert: "PriceAlertEvent", stockAlert: "StockAlertEvent" };

  function callbacksIn(document: typeof bundle) {
    const create = operationsOf(document).find(({ operation }) => operation.operationId === "createWebhook");
    return Object.entries(create?.operation.callbacks ?? {}).map(([name, callback]) => {
      const post = callback["{$request.body#/webhookUrl}"]?.post;
      if (!post) throw new Error(`The callback ${name} is not sent to the webhook's URL.`);
      return { name, post, body: post.requestBody?.content["application/json"] };
    });
  }

  it("describes each event once, as a component, so that its type is published", () => {
    const references = callbacksIn(bundle).map(({ name, body }) => [name, body?.schema]);
    expect(Object.fromEntries(references)).toEqual(
      Object.fromEntries(
        Object.entries(events).map(([name, schema]) => [name, { $ref: `#/components/schemas/${schema}` }]),
      ),
    );
  });

  it.each(callbacksIn(dereference(bundle)))(
    "$name has a valid example and the headers of a signed delivery",
    ({ post, body }) => {
      if (!body) throw new Error("The callback has no JSON body.");
      expect(violations(body.schema, body.example)).toEqual([]);
      expect(post.parameters?.map(({ name }) => name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]);
    },
  );

  it("distinguishes the events by their type", () => {
    const { schemas } = dereference(bundle).components;
    const types = schemas.WebhookEvent?.oneOf?.map(({ properties }) => properties?.type?.enum);
    expect(types).toEqual([["price.alert"], ["stock.alert"]]);
  });
});
