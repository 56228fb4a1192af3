import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, service } from "./in-browser.ts";
import { createPublicToken, listen } from "./shop-site.ts";

const guide = readFileSync(new URL("../../../docs/instantsearch.md", import.meta.url), "utf8");
/** The widgets of the guide's table. */
const [, table = ""] = /## Widgets\n([\s\S]*?)\n## /.exec(guide) ?? [];
const widgets = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name ?? "");

const call = async (path: string, body?: object, method = body ? "POST" : "GET") => {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
};

const numberIn = (text: string | null) => Number(/[\d,]+/.exec(text ?? "")?.[0].replaceAll(",", ""));
/** How many products the page says that it found. */
const total = async (page: Page) => numberIn(await page.locator(".ais-Stats-text").first().textContent());
async function narrows(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await total(page);
  await act();
  await expect.poll(() => total(page)).toBeLessThan(before);
  await expect.poll(() => total(page)).toBeGreaterThan(0);
}
const type = (page: Page, text: string) => page.locator("#searchBox input").fill(text);
const prices = async (page: Page) => (await page.locator("#hits .price").allTextContents()).map(Number);

/** What each widget of the table does on a page where all are shown. */
const checks: Record<string, (page: Page) => Promise<unknown>> = {
  searchBox: (page) => narrows(page, () => type(page, "lamp")),
  hits: (page) => expect.poll(() => page.locator("#hits article").count()).toBe(12),
  infiniteHits: async (page) => {
    await page.locator("#infiniteHits .ais-InfiniteHits-loadMore").click();
    await expect.poll(() => page.locator("#infiniteHits b").count()).toBe(24);
  },
  Highlight: async (page) => {
    await type(page, "lamp");
    await expect.poll(() => page.locator("#hits h3 mark").first().textContent()).toMatch(/lamp/i);
  },
  Snippet: (page) => expect.poll(() => page.locator("#hits .snippet").first().textContent()).toMatch(/…$/),
  refinementList: async (page) => {
    await page.locator("#refinementList input[type=search]").fill("n");
    await expect.poll(() => page.locator("#refinementList mark").count()).toBeGreaterThan(0);
    await narrows(page, () => page.locator("#refinementList label").first().click());
  },
  menu: (page) => narrows(page, () => page.locator("#menu a").first().click()),
  menuSelect: (page) => narrows(page, () => page.locator("#menuSelect select").selectOption({ index: 1 })),
  hierarchicalMenu: async (page) => {
    await narrows(page, () => page.locator("#hierarchicalMenu a").first().click());
    await page.locator("#hierarchicalMenu li li a").first().waitFor();
  },
  breadcrumb: async (page) => {
    await page.locator("#hierarchicalMenu a").first().click();
    await expect.poll(() => page.locator("#breadcrumb .ais-Breadcrumb-item").count()).toBe(2);
  },
  rangeInput: async (page) => {
    await page.locator("#rangeInput input").last().fill("40");
    await narrows(page, () => page.locator("#rangeInput button").click());
    expect(Math.max(...(await prices(page)))).toBeLessThanOrEqual(40);
  },
  rangeSlider: (page) => page.locator("#rangeSlider .rheostat-handle").first().waitFor(),
  numericMenu: (page) => narrows(page, () => page.getByLabel("10 % off or more").check()),
  ratingMenu: (page) => narrows(page, () => page.locator("#ratingMenu a").first().click()),
  toggleRefinement: (page) => narrows(page, () => page.locator("#toggleRefinement input").check()),
  sortBy: async (page) => {
    await page.locator("#sortBy select").selectOption("products/price/desc");
    await expect
      .poll(async () => {
        const shown = await prices(page);
        return shown.length === 12 && shown.every((price, at) => at === 0 || price <= (shown[at - 1] ?? 0));
      })
      .toBe(true);
  },
  hitsPerPage: async (page) => {
    await page.locator("#hitsPerPage select").selectOption("24");
    await expect.poll(() => page.locator("#hits article").count()).toBe(24);
  },
  pagination: async (page) => {
    const first = await page.locator("#hits h3").first().textContent();
    await page.locator("#pagination").getByText("2", { exact: true }).click();
    await expect.poll(() => page.locator("#hits h3").first().textContent()).not.toBe(first);
  },
  stats: async (page) => {
    await type(page, "lamp");
    const { count } = await call("/search/catalog?q=lamp");
    await expect.poll(() => total(page)).toBe(count);
  },
  currentRefinements: async (page) => {
    await page.locator("#toggleRefinement input").check();
    await page.locator("#currentRefinements button").click();
    await expect.poll(() => page.locator("#currentRefinements button").count()).toBe(0);
  },
  clearRefinements: async (page) => {
    await page.locator("#menu a").first().click();
    await page.locator("#clearRefinements button:enabled").click();
    await expect.poll(() => page.locator("#menu .ais-Menu-item--selected").count()).toBe(0);
  },
  dynamicWidgets: (page) =>
    expect.poll(() => page.locator("#dynamicWidgets label").count()).toBeGreaterThan(3),
  autocomplete: async (page) => {
    const field = page.locator("#autocomplete input").first();
    await field.click();
    await field.pressSequentially("lam");
    await expect.poll(() => page.locator("#autocomplete").textContent()).toMatch(/lamp/i);
  },
  queryRuleCustomData: async (page) => {
    await type(page, "returns policy");
    await expect
      .poll(() => page.locator("#queryRuleCustomData").textContent())
      .toContain("shop.example/returns");
  },
  relatedProducts: (page) => expect.poll(() => page.locator("#relatedProducts b").count()).toBe(4),
  lookingSimilar: (page) => expect.poll(() => page.locator("#lookingSimilar b").count()).toBe(4),
  frequentlyBoughtTogether: (page) =>
    expect.poll(() => page.locator("#frequentlyBoughtTogether").textContent()).toContain("none"),
};

/** The same widgets in each library. Vue InstantSearch has no components for some, and React's slider is a hook. */
const libraries: Record<string, { file: string; without: readonly string[] }> = {
  "InstantSearch.js": { file: "javascript.js", without: [] },
  "React InstantSearch": { file: "react.jsx", without: [] },
  "Vue InstantSearch": {
    file: "vue.js",
    without: ["rangeSlider", "relatedProducts", "lookingSimilar", "frequentlyBoughtTogether"],
  },
};

const scriptOf = (file: string) => file.replace(/\.\w+$/, ".js");

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`widgets/${file}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
  });
  return outputFiles[0]?.text ?? "";
}

describeInBrowser("the widgets of docs/instantsearch.md", (open) => {
  const scripts = new Map<string, string>();
  let token = "";
  let related = "";
  let ruleId = "";
  let site: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    for (const { file } of Object.values(libraries)) scripts.set(`/${scriptOf(file)}`, await bundle(file));
    site = await listen((address) => {
      const script = scripts.get(address);
      if (script !== undefined) return script;
      const { pathname: path, search } = new URL(address, site.origin);
      const grouped = path === "/grouped";
      const page = {
        service: { baseUrl: `${service.url}/api/v1`, token },
        grouped,
        related: path === "/product" ? related : "",
      };
      return `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body><script>window.page = ${JSON.stringify(page)}</script><script type="module" src="/${search.slice(1) || "javascript"}.js"></script></body></html>`;
    });
    token = await createPublicToken(site.origin);
    related = (await call("/search/catalog?q=lamp&count=1")).Products[0]._id;
    const created = await call("/rules", {
      name: "Returns",
      when: { query: "returns policy" },
      redirectUrl: "https://shop.example/returns",
    });
    ruleId = created.rule.id;
  });
  afterAll(async () => {
    site?.server.close();
    // Other files look at merchandising without rules.
    expect(await call(`/rules/${ruleId}`, undefined, "DELETE")).toMatchObject({ status: "success" });
  });

  async function openShop(path = "/") {
    const { page, complaints } = await open("about:blank");
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/v1/"))
        requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await page.goto(site.origin + path);
    await page.locator("#hits article").first().waitFor();
    // Widgets that search once more render all others again, which empties a field.
    await page.waitForLoadState("networkidle");
    return { page, complaints, requests };
  }

  it("are those that are tested here", () => {
    expect(Object.keys(checks).sort()).toEqual(widgets.toSorted());
  });

  for (const [library, { file, without }] of Object.entries(libraries)) {
    const shown = Object.entries(checks).filter(([name]) => !without.includes(name));
    it.each(shown)(`${library}: %s`, async (name, check) => {
      const isForProduct = ["relatedProducts", "lookingSimilar", "frequentlyBoughtTogether"].includes(name);
      const { page, complaints } = await openShop(
        `${isForProduct ? "/product" : "/"}?${scriptOf(file).replace(".js", "")}`,
      );
      await check(page);
      expect(complaints).toEqual([]);
    });
  }

  it("cost one batch a key press", async () => {
    const { page, requests } = await openShop("/grouped");
    requests.length = 0;
    await type(page, "lamp");
    await expect.poll(() => page.locator("#hits h3 mark").first().textContent()).toMatch(/lamp/i);
    expect(requests.filter((request) => request.endsWith("/search/batch"))).toEqual([
      "POST /api/v1/search/batch",
    ]);
  });

  it("show swatches of the variants of a hit", async () => {
    const { page } = await openShop("/grouped");
    await expect.poll(() => page.locator("#hits .swatches i").count()).toBeGreaterThan(0);
  });

  it("show nothing of the text before when the service is busy", async () => {
    const { page } = await openShop();
    await page.route("**/search/batch", (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/json",
        headers: { "access-control-allow-origin": "*" },
        body: '{"status":"error","message":"Too many requests."}',
      }),
    );
    await type(page, "lamp");
    await expect.poll(() => page.locator("#hits article").count()).toBe(0);
    await page.unroute("**/search/batch");
    await type(page, "lam");
    await expect.poll(() => page.locator("#hits article").count()).toBeGreaterThan(0);
  });
});
