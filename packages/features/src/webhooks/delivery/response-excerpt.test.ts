import { describe, expect, test } from "vitest";
import { readExcerpt } from "./response-excerpt.ts";

async function* bytesOf(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("readExcerpt", () => {
  test("keeps a short response unchanged, and an empty one as undefined", async () => {
    expect(await readExcerpt(bytesOf("o", "k\n"), [])).toBe("ok\n");
    expect(await readExcerpt(bytesOf(), [])).toBeUndefined();
  });

  test("cuts at 1024 bytes, between characters", async () => {
    const excerpt = await readExcerpt(bytesOf("ä".repeat(3000)), []);
    expect(excerpt).toBe("ä".repeat(512));
    expect(await readExcerpt(bytesOf(`a${"ä".repeat(3000)}`), [])).toBe(`a${"ä".repeat(511)}`);
  });

  test.each([
    ["our key", "key whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw!"],
    ["a signature", "got v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="],
    ["an access token", "use pss_0123456789abcdef"],
    ["a bearer token", "Authorization: Bearer abc.def-ghi"],
    ["a password in JSON", '{"password":"hunter2","x":1}'],
    ["an API key in a query", "retry ?api_key=hunter2&x=1"],
    ["a secret in a form", "secret = hunter2"],
  ])("cuts out %s", async (_, response) => {
    const excerpt = await readExcerpt(bytesOf(response), []);
    expect(excerpt).toContain("[removed]");
    expect(excerpt).not.toMatch(/MfKQ9r8G|g0hM9SsE|0123456789abcdef|abc\.def|hunter2/);
  });

  test("removes the given secrets, also across chunks and across the end of the excerpt", async () => {
    const secret = "s".repeat(40);
    const response = `${"x".repeat(1010)}${secret}`;
    const excerpt = await readExcerpt(bytesOf(response.slice(0, 1020), response.slice(1020)), [secret]);
    expect(excerpt).toBe(`${"x".repeat(1010)}[removed]`);
  });

  test("replaces control characters, which terminals and databases would interpret", async () => {
    expect(await readExcerpt(bytesOf("a\u0000b\u001b[31mc\td\n"), [])).toBe("a\ufffdb\ufffd[31mc\td\n");
  });

  test("keeps what arrived before the response ended early", async () => {
    async function* breaking() {
      yield Buffer.from("so far");
      throw new Error("reset");
    }
    expect(await readExcerpt(breaking(), [])).toBe("so far");
  });

  test("does not wait for an endless response", async () => {
    async function* endless() {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield Buffer.from(".");
      }
    }
    expect(await readExcerpt(endless(), [])).toMatch(/^\.+$/);
  });
});
