import { createDeepSearch } from "@product-search/deep-search/deep-search.ts";
import { ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import { shopperRequests } from "@product-search/testing/deep-search/shopper-requests.ts";
import { blindRequests } from "./blind-requests.ts";
import { openShop } from "./open-shop.ts";
import { answerRequests } from "./answer-requests.ts";
const [half = "0", filter = ""] = process.argv.slice(2);
const shop = await openShop(2400);
const catalog = (await shop.ports.catalogStore.scan(0, 2400)).filter(({ source }) => source === "catalog");
const names = { brands: [...new Set(catalog.flatMap(({ brand }) => brand ?? []))], texts: new Map(catalog.map(({ name, description }) => [name, description])) };
const ds = createDeepSearch(shop.ports);
const list = half === "old" ? shopperRequests : half === "answers" ? answerRequests : half === "ask" ? [{ request: filter.split(">").at(-1)!.trim(), history: filter.split(">").slice(0, -1).map((s) => s.trim()), kinds: /./ }] : blindRequests.filter((_, at) => at % 2 === Number(half));
let bad = 0, n = 0;
for (const r of list as any[]) {
  const label = [...(r.history ?? []), r.request].join(" » ");
  if (half !== "ask" && filter && !label.includes(filter)) continue;
  n++;
  const { data } = await ds.answer({ query: r.request, history: r.history ?? [] }, AbortSignal.timeout(20000));
  const f: string[] = [];
  const t = data.topProducts;
  if (half !== "answers") {
  if ((t.length > 0) !== (r.kinds !== undefined)) f.push(t.length > 0 ? "found something" : "found nothing");
  for (const p of t) {
    if (r.kinds && !r.kinds.test(p.name)) f.push(`kind: ${p.name}`);
    if (r.not?.test(p.name)) f.push(`not: ${p.name}`);
    if (p.price > (r.max ?? Infinity) || p.price < (r.min ?? 0)) f.push(`price: ${p.price}`);
    if (r.minRating && (p.averageRating ?? 0) < r.minRating) f.push("rating");
  }
  if (r.first && t[0] && !r.first.test(t[0].name)) f.push(`first: ${t[0].name}`);
  const col = t.map(({ price, averageRating = 0 }) => r.order === "rating desc" ? averageRating : price);
  if (r.order && JSON.stringify(col) !== JSON.stringify(col.toSorted((a, b) => r.order === "price asc" ? a - b : b - a))) f.push(`order ${col.slice(0,4)}`);
  if (r.says && !r.says.test(data.aiResponse)) f.push(`says ${r.says}`);
  if (r.reads && !r.reads.test(data.description)) f.push(`reads ${r.reads}`);
  const sentences = data.aiResponse.replace(/“[^”]*”|„[^“]*“|«[^»]*»/gu, "…").split(/(?<=[.!?])\s+/u);
  if (half === "old" && sentences.length > 4) f.push(`sentences ${sentences.length}`);
  if (new Set(sentences.map((s) => s.replace(/\$?[\d.,]+/g, "N"))).size !== sentences.length) f.push("repeated sentence");
  for (const { name } of t) if (data.aiResponse.split(name).length > 2) f.push("mentions twice " + name);
  }
  f.push(...ungroundedStatements(data, names, r.history ?? []).map((u) => `ungrounded: ${u}`));
  if (f.length) bad++;
  if (half === "old" && f.length === 0) continue;
  if (process.env.SHORT && f.length === 0) continue;
  console.log(`${f.length ? "✗" : "✓"} ${label}\n    [${data.productCount}] ${data.description}\n    ${data.aiResponse}\n    ${t.slice(0, 5).map(({ name, price }) => `${name} $${price}`).join(" | ")}${f.length ? `\n    FAULTS ${[...new Set(f)].slice(0, 4).join(" ; ")}` : ""}`);
}
console.log(`${n - bad} of ${n} fine`);
await shop.close();
