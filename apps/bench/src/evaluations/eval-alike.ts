import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawImage } from "@product-search/api/adapters/local-images/sample.ts";
import { kindInName } from "@product-search/core/domain/similarity/agreeing-categories.ts";
import { defaultSampleSize, designCount, designOf } from "@product-search/sample-catalog";
import { loadBuiltInModel } from "@product-search/vision";
import { type Photograph, readPhotographs } from "@product-search/vision/photographs";
import {
  type Alike,
  type CatalogImage,
  precisionAndRecall,
  searchAlike,
  typicalOf,
} from "../images/judge-alike.ts";
import { wholeNumber } from "../support/whole-number.ts";

const help = `Usage: pnpm eval alike [--data FOLDER --weights FOLDER] [--step N] [--products N] [--json]

What image search returns. On the sample catalog, the queries are images of products that it does not have: the share of
what is returned that is of the query's category and of its kind, and the share of these products that is returned. On
photographs (a folder as for "pnpm eval vision"), the queries are those of products with several: the share that still
finds the product by its other photographs. Each by the similarity threshold alone, and as the service does it.

  --weights FOLDER  weights that were not trained on these photographs, made by
                  pnpm --filter @product-search/vision train --data FOLDER --without SOURCE --out FOLDER
  --step N        take every N-th query (default 7)
  --products N    of the sample (default ${defaultSampleSize})`;

const rules = ["byThreshold", "agreeing"] as const;
type Figures = Record<string, Record<(typeof rules)[number], number>>;
type Model = ReturnType<typeof loadBuiltInModel>;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      weights: { type: "string" },
      step: { type: "string", default: "7" },
      products: { type: "string", default: String(defaultSampleSize) },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const step = wholeNumber("--step", values.step);
  const sample = await judgeSample(loadBuiltInModel(), step, wholeNumber("--products", values.products));
  const photographs =
    values.data === undefined ? {} : await judgePhotographs(loadBuiltInModel(values.weights), values.data);
  if (values.json) console.log(JSON.stringify({ sample, photographs }));
  else {
    console.table(sample);
    if (values.data !== undefined) console.table(photographs);
  }
}

async function judgeSample(model: Model, step: number, products: number): Promise<Figures> {
  const describe = async (design: number) => model.describe(await drawImage({ design, view: 0 }));
  const images: CatalogImage[] = [];
  for (let design = 0; design < products; design++)
    images.push({
      product: String(design),
      category: designOf(design).kind.category,
      kind: kindInName(designOf(design).kind.noun),
      vector: await describe(design),
    });
  const typical = typicalOf(images);
  const scores: [figure: string, rule: (typeof rules)[number], value: number][] = [];
  for (let design = defaultSampleSize; design < designCount; design += step) {
    const found = searchAlike(images, await describe(design), typical);
    for (const part of ["category", "shape"] as const) {
      const isRight = ({ product }: Pick<Alike, "product">) =>
        designOf(Number(product)).kind[part] === designOf(design).kind[part];
      const right = images.filter(isRight).length;
      for (const rule of rules) {
        const { precision, recall } = precisionAndRecall(found[rule], isRight, right);
        if (precision !== undefined) scores.push([`of the query's ${part}`, rule, precision]);
        scores.push([`of that ${part}, at most 50, returned`, rule, recall]);
      }
    }
  }
  return averages(scores);
}

/** The class of a photograph is its category. Pack shots are in the catalog, but are not queries. */
async function judgePhotographs(model: Model, folder: string): Promise<Figures> {
  const photographs = readPhotographs(folder);
  const images: (CatalogImage & { photograph: Photograph })[] = [];
  for (const photograph of photographs) {
    const { path, product, class: kind, source } = photograph;
    const vector = await model.describe(readFileSync(path));
    images.push({ product: product || path, category: kind || source, vector, photograph });
  }
  const typical = typicalOf(images);
  const counts = Map.groupBy(images, ({ product }) => product);
  const scores: [figure: string, rule: (typeof rules)[number], value: number][] = [];
  for (const query of images) {
    const { view, source } = query.photograph;
    if (view === "iconic" || (counts.get(query.product)?.length ?? 0) < 2) continue;
    const others = images.filter((image) => image !== query);
    const found = searchAlike(others, query.vector, typical);
    for (const rule of rules) {
      const stays = found[rule].some(({ product }) => product === query.product) ? 1 : 0;
      scores.push([`${source}: its product stays`, rule, stays]);
    }
  }
  return averages(scores);
}

function averages(scores: readonly [string, (typeof rules)[number], number][]): Figures {
  const figures = [...Map.groupBy(scores, ([figure]) => figure)].map(([figure, rows]) => {
    const of = (chosenRule: (typeof rules)[number]) => {
      const values = rows.flatMap(([, rule, value]) => (rule === chosenRule ? [value] : []));
      return Math.round((1000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1000;
    };
    return [figure, { byThreshold: of("byThreshold"), agreeing: of("agreeing") }] as const;
  });
  return Object.fromEntries(figures);
}
