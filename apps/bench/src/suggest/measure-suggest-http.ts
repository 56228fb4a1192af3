// Runs as a separate process: the whole service with the sample catalog; requests over HTTP, one after the other.
import { Client } from "undici";
import { startBenchService } from "../support/bench-service.ts";
import { timingOf } from "../text/figures.ts";
import { fillCatalog } from "../text/text-service.ts";
import { typedTexts } from "./typed-texts.ts";

export interface SuggestHttpFigures {
  readonly httpP50Ms: number;
  readonly httpP99Ms: number;
}

const [products = "0", people = "0"] = process.argv.slice(2);
const service = await startBenchService({
  environment: () => ({ THREADS: "1" }),
  fill: (stores) => fillCatalog(stores, Number(products)),
});
const client = new Client(service.root);
try {
  for (let seed = 1; seed <= 3; seed++) await ask(seed);
  const { p50Ms, p99Ms } = timingOf(await ask(0));
  const figures: SuggestHttpFigures = { httpP50Ms: p50Ms, httpP99Ms: p99Ms };
  process.stdout.write(JSON.stringify(figures));
} finally {
  await client.close();
  await service.close();
}

async function ask(seed: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (const text of typedTexts(Number(people), Number(products), seed)) {
    const start = performance.now();
    const { statusCode, body } = await client.request({
      method: "GET",
      path: `/api/v1/search/suggestions?q=${encodeURIComponent(text)}`,
      headers: { authorization: `Bearer ${service.token}` },
    });
    await body.text();
    milliseconds.push(performance.now() - start);
    if (statusCode !== 200) throw new Error(`${statusCode} for ${JSON.stringify(text)}`);
  }
  return milliseconds;
}
