import Validator from "@adobe/structured-data-validator";
import WebAutoExtractor from "@marbec/web-auto-extractor";
import { hostileStrings } from "@product-search/testing/hostile-strings.ts";
import { storedProduct } from "@product-search/testing/naive-catalog.ts";
import { describe, expect, it } from "vitest";
import { brandHead, productHead } from "./page-head.ts";

const settings = { publicUrl: "https://shop.example", currency: "USD" };
const mug = storedProduct(7, {
  name: "Red mug",
  slug: "red-mug-00000007",
  url: "/products/red-mug-00000007",
  description: "Holds 300 ml.\n\nFor the dishwasher.",
  storeName: "Cup & Co",
  brand: "Norr",
  category: "Kitchen, dining",
  gtin: "4006381333931",
  priceMinor: 1250,
  averageRating: 4.5,
  reviewCount: 12,
});

const read = (html: string) =>
  new WebAutoExtractor({ addLocation: true, embedSource: ["rdfa", "microdata"] }).parse(html);
const dataOf = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*)<\/script>/.exec(html)?.[1] ?? "")["@graph"];
const errorsIn = async (html: string) => {
  const extracted = read(html);
  const issues = await new Validator().validate(extracted);
  return [...extracted.errors, ...issues.filter(({ severity }) => severity === "ERROR")];
};

describe("the head of a product's page", () => {
  const html = productHead(mug, settings);

  it("has title, description, canonical address and Open Graph", () => {
    expect(html).toContain("<title>Red mug · Cup &#38; Co</title>");
    expect(html).toContain('content="$12.50 · In stock · Cup &#38; Co. Holds 300 ml. For the dishwasher."');
    expect(html).toContain('<link rel="canonical" href="https://shop.example/products/red-mug-00000007">');
    expect(html).toContain('<meta property="og:image" content="https://shop.example/images/7.webp">');
    expect(html).toContain('<meta property="product:price:amount" content="12.50">');
  });

  it("has data that a validator of schema.org finds no fault with", async () => {
    expect(Object.keys(read(html).jsonld).sort()).toEqual(["BreadcrumbList", "Product"]);
    expect(await errorsIn(html)).toEqual([]);
    // The validator sees a missing price: it does look at the data.
    expect(await errorsIn(html.replace('"price":"12.50",', ""))).not.toEqual([]);
  });

  it("says price, currency, stock, rating and the way to the product", () => {
    const [product, trail] = dataOf(html);
    expect(product).toMatchObject({
      "@type": "Product",
      gtin: "4006381333931",
      brand: { "@type": "Brand", name: "Norr" },
      offers: { price: "12.50", priceCurrency: "USD", availability: "https://schema.org/InStock" },
      aggregateRating: { ratingValue: 4.5, reviewCount: 12 },
    });
    const names = trail.itemListElement.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["Home", "Kitchen, dining", "Red mug"]);
    expect(trail.itemListElement[1].item).toBe("https://shop.example/?categories=Kitchen%5C%2C+dining");
  });

  it("says the whole category path, the attributes and the group", async () => {
    const complete = productHead(
      {
        ...mug,
        category: "Mugs",
        categoryPaths: [["Home", "Kitchen", "Mugs"], ["Gifts"]],
        attributes: { color: ["red"], size: ["S", "M"], capacity: ["300 ml"] },
        groupId: "mugs",
        mpn: "N-7",
      },
      settings,
    );
    const [product, trail] = dataOf(complete);
    const facts = { category: "Home > Kitchen > Mugs", color: "red", size: "S, M", mpn: "N-7" };
    expect(product).toMatchObject({ ...facts, inProductGroupWithID: "mugs" });
    expect(trail.itemListElement).toHaveLength(5);
    expect(trail.itemListElement[2].item).toBe("https://shop.example/?categories=Home+%3E+Kitchen");
    expect(await errorsIn(complete)).toEqual([]);
  });

  it("leaves out what is unknown: no rating without reviews, no brand, no category", async () => {
    const bare = productHead(storedProduct(1, { averageRating: 4, images: [] }), settings);
    const [product, trail] = dataOf(bare);
    expect(product).not.toHaveProperty("aggregateRating");
    expect(product).not.toHaveProperty("brand");
    expect(product).not.toHaveProperty("image");
    expect(trail.itemListElement).toHaveLength(2);
  });

  it("writes prices with the decimals of the currency", () => {
    const priced = productHead(mug, { ...settings, currency: "JPY" });
    expect(dataOf(priced)[0].offers).toMatchObject({ price: "1250", priceCurrency: "JPY" });
  });

  it("names the shop's own page as the original, but no address that runs a script", () => {
    const sold = productHead({ ...mug, url: "https://other.example/mug?a=1&b=2" }, settings);
    expect(sold).toContain('<link rel="canonical" href="https://other.example/mug?a=1&#38;b=2">');
    expect(dataOf(sold)[0].offers.url).toBe("https://other.example/mug?a=1&b=2");
    const hostile = {
      ...mug,
      url: "javascript:alert(1)",
      images: ["javascript:alert(2)", "data:text/html,x"],
    };
    const safe = productHead(hostile, settings);
    expect(safe).not.toContain("javascript:");
    expect(safe).not.toContain("data:text");
    expect(dataOf(safe)[0].offers.url).toBe("https://shop.example/products/red-mug-00000007");
  });
});

describe("hostile data", () => {
  const attacks = [
    ...hostileStrings,
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "</title><img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "' onload='alert(1)",
    '">' + "<svg/onload=alert(1)>",
    "$&$1$`$'",
    "&lt;/script&gt;",
    "\u2028</script>",
  ];

  it.each(attacks)("%j neither ends an element nor an attribute", (attack) => {
    const product = {
      ...mug,
      name: attack,
      brand: attack,
      storeName: attack,
      category: attack,
      description: attack,
    };
    const heads = [
      productHead({ ...product, images: [`/images/${attack}`], key: attack, gtin: attack }, settings),
      brandHead(attack, [product], settings),
    ];
    for (const html of heads) {
      const data = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(html);
      expect(() => JSON.parse(data?.[1] ?? "")).not.toThrow();
      const elements = [...html.matchAll(/<(\/?[a-z]+)/g)].map(([, element]) => element);
      const allowed = new Set(["title", "/title", "meta", "link", "script", "/script"]);
      expect(elements.filter((element) => !allowed.has(element ?? ""))).toEqual([]);
      expect(html.match(/<script/g)).toHaveLength(1);
      // Outside the texts there are only the attributes that the head itself writes.
      const outside = html.replace(data?.[0] ?? "", "").replaceAll(/"[^"]*"|<title>[^<]*/g, "");
      expect(outside).not.toMatch(/onload|onerror|alert/);
    }
    expect(dataOf(heads[0] ?? "")[0].name).toBe(JSON.parse(JSON.stringify(attack)));
  });
});

describe("the head of a brand's page", () => {
  it("lists its products and is valid", async () => {
    const html = brandHead("Norr", [mug], settings);
    expect(html).toContain("<title>Norr</title>");
    const [page] = dataOf(html);
    expect(page.mainEntity.itemListElement[0].url).toBe("https://shop.example/products/red-mug-00000007");
    expect(await errorsIn(html)).toEqual([]);
  });
});
