import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "console-"));
  mkdirSync(join(folder, "assets"));
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content));
  };
  write("assets/index-1a2b.js", "console.log(1);");
  write("assets/index-3c4d.css", "body { margin: 0 }");
  writeFileSync(join(folder, "icon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  writeFileSync(
    join(folder, "index.html"),
    '<!doctype html><meta name="description" content="Search" /><meta name="currency" content="USD" /><title>Product search</title>',
  );
  mkdirSync(join(folder, "shop"));
  writeFileSync(join(folder, "shop/index.html"), "<!doctype html><style>p { margin: 0 }</style>");
  service = await createTestService({
    environment: { CURRENCY: "EUR", TRIAL_RATE_LIMIT: "0" },
    consoleFolder: folder,
  });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });
const securityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http: data: blob:";

const asPerson = { accept: "text/html" };

describe.each([
  ["/", 200],
  ["/ask", 200],
  ["/insights", 200],
  ["/merchandising", 200],
  ["/webhooks", 200],
  ["/nosuch", 404],
])("the page at %s", (url, status) => {
  it("is the console's page, with the currency of the service and a strict content security policy", async () => {
    const page = await get(url, asPerson);
    expect(page.statusCode).toBe(status);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["cache-control"]).toBe("no-cache");
    expect(page.headers["content-security-policy"]).toContain(securityPolicy);
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect(page.body).toContain('content="EUR"');
  });

  it("is compressed for clients that accept gzip", async () => {
    const page = await get(url, { ...asPerson, "accept-encoding": "br, gzip" });
    expect(page.headers["content-encoding"]).toBe("gzip");
    expect(page.headers.vary).toContain("accept-encoding");
    expect(gunzipSync(page.rawPayload).toString()).toContain('content="EUR"');
  });
});

describe("the page of the shop", () => {
  it("may use the style sheet that it was built with, and no other in a page", async () => {
    const { headers } = await get("/shop", asPerson);
    const hash = createHash("sha256").update("p { margin: 0 }").digest("base64");
    expect(headers["content-security-policy"]).toContain(`style-src 'self' 'sha256-${hash}';`);
  });
});

describe("the page of a product", () => {
  it("is the console's page with the product's own head", async () => {
    const name = "Mug </title><script>alert('$&')</script>";
    await service.stores.catalogStore.apply([
      {
        source: "catalog",
        key: "mug",
        name,
        storeName: "x",
        description: "",
        url: "/products/mug",
        images: [],
        priceMinor: 1250,
        availability: "in_stock",
      },
    ]);
    const [product] = await service.stores.catalogStore.scan(0, 1);
    const page = await get(`/products/${product?.slug}`, asPerson);
    expect(page.headers["content-security-policy"]).toContain(securityPolicy);
    expect(page.body).toContain("<title>Mug &#60;/title&#62;&#60;script&#62;alert(&#39;$&#38;&#39;)");
    expect(page.body.match(/<script/g)).toHaveLength(1);
    expect(page.body.match(/<title>|name="description"/g)).toHaveLength(2);
    expect(page.body).toContain('content="EUR"');
    expect(page.body).toContain('"priceCurrency":"EUR"');
  });
});

describe("its assets", () => {
  it("are sent compressed or plain, and are cached forever because their names contain a hash", async () => {
    for (const url of ["/assets/index-1a2b.js", "/assets/index-3c4d.css"]) {
      const plain = await get(url);
      expect(plain.statusCode).toBe(200);
      expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(plain.headers["content-type"]).toMatch(/^(application\/javascript|text\/css); charset=utf-8$/i);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(plain.headers.vary).toContain("accept-encoding");
      const packed = await get(url, { "accept-encoding": "gzip, deflate, br" });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.headers["content-type"]).toBe(plain.headers["content-type"]);
      expect(gunzipSync(packed.rawPayload)).toEqual(plain.rawPayload);
    }
  });

  it("without a hash are cached for an hour", async () => {
    const icon = await get("/icon.svg");
    expect(icon.statusCode).toBe(200);
    expect(icon.headers["content-type"]).toMatch(/^image\/svg\+xml/);
    expect(icon.headers["cache-control"]).toBe("public, max-age=3600");
  });

  it.each(["/index.html", "/assets/nosuch.js", "/assets", "/assets/..%2findex.html", "/icon.svg.gz"])(
    "do not include %s",
    async (url) => {
      expect((await get(url)).statusCode).toBe(404);
    },
  );
});

it("a build beside the running service changes nothing for its pages", async () => {
  const before = await get("/", asPerson);
  writeFileSync(join(folder, "index.html"), "<title>Rebuilt</title>");
  rmSync(join(folder, "assets"), { recursive: true });
  expect((await get("/", asPerson)).body).toBe(before.body);
  expect((await get("/assets/index-1a2b.js")).statusCode).toBe(200);
});

it("without a built console, the root page says how to build it", async () => {
  const bare = await createTestService({ consoleFolder: join(folder, "nosuch") });
  const page = await bare.app.inject("/");
  expect(page.body).toContain("pnpm start");
  expect((await bare.app.inject({ url: "/ask", headers: { accept: "text/html" } })).json()).toMatchObject({
    code: "not_found",
  });
  await bare.close();
});
