import type { LightMyRequestResponse } from "fastify";
import { createTestService, type TestService } from "./test-service.ts";

export interface MerchandisingService extends TestService {
  call(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object | string,
  ): Promise<LightMyRequestResponse>;
  /** Creates a rule and returns it. */
  createRule(rule: object): Promise<{ id: string; updatedAt: string }>;
  /** Resolves when searches apply the newest rules. */
  rulesApplied(): Promise<void>;
}

/** A service with a token of the scopes `merchandising` and `search`. */
export async function createMerchandisingService(): Promise<MerchandisingService> {
  const service = await createTestService();
  const token = await service.token({ scopes: ["search", "merchandising"] });
  const call: MerchandisingService["call"] = (method, path, body) =>
    service.app.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          "content-type": typeof body === "string" ? "text/plain" : "application/json",
        }),
      },
      ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    ...service,
    call,
    async createRule(rule) {
      const response = await call("POST", "/rules", rule);
      if (response.statusCode !== 201) throw new Error(response.body);
      return response.json().rule;
    },
    async rulesApplied() {
      const wanted = await service.stores.ruleStore.version();
      const deadline = performance.now() + 2000;
      while (service.ports.rules().version !== wanted) {
        if (performance.now() > deadline) throw new Error("The rules did not apply within two seconds.");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}
