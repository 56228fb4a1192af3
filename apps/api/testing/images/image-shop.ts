import { fakeMug } from "@product-search/testing/fake-products.ts";
import { drawing } from "@product-search/testing/images/images.ts";
import { type Received, startReceiver } from "@product-search/testing/receiver.ts";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { makeDataDir, type RunningService, removeDataDir, run } from "../running-service.ts";

export const imageCount = 24;
const shapes = ["disc", "square", "ring", "bars", "triangle"] as const;
export const image = (n: number): Promise<Buffer> =>
  drawing(shapes[n % 5] ?? "disc", `hsl(${n * 15}, 80%, 45%)`)
    .png()
    .toBuffer();

/** A catalog of `imageCount` products, "product 0" and so on, each with one image on a local host. */
export interface ImageShop {
  environment: Record<string, string>;
  token: string;
  /** The requests to the host. */
  received: readonly Received[];
  /** From now on, the host also serves the second half of the images. */
  release(): void;
  close(): Promise<void>;
}

/** `held`: the second half of the images is not sent until it is released. */
export async function openImageShop({ held = false } = {}): Promise<ImageShop> {
  let isHeld = held;
  const waiting: (() => void)[] = [];
  const dataDir = makeDataDir();
  const images = await Promise.all(Array.from({ length: imageCount }, (_, n) => image(n)));
  const host = await startReceiver((response, { path }) => {
    const n = Number(path.slice(1));
    const send = () => response.writeHead(200).end(images[n]);
    if (isHeld && n >= imageCount / 2) waiting.push(send);
    else send();
  });
  const environment = { DATA_DIR: dataDir, THREADS: "2", FETCH_ALLOW_NETWORKS: "127.0.0.0/8" };
  const stores = await composeSqliteStores(readConfig(environment));
  await stores.catalogStore.apply(
    images.map((_, n) => fakeMug("catalog", n, { name: `product ${n}`, images: [`${host.url}/${n}`] })),
  );
  await stores.close();
  const made = run(["token", "create", "--account", "tester", "--scopes", "search", "--json"], environment);
  await made.exit;
  return {
    environment,
    token: JSON.parse(made.output()).token,
    received: host.received,
    release() {
      isHeld = false;
      for (const send of waiting.splice(0)) send();
    },
    async close() {
      await host.close();
      removeDataDir(dataDir);
    },
  };
}

/** Helpers for tests of images on a running service. */
export function askAboutImages(service: () => RunningService, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const send = (bytes: Buffer) =>
    fetch(`${service().url}/api/v1/vectorize-image`, {
      method: "POST",
      headers,
      body: JSON.stringify({ base64String: bytes.toString("base64") }),
    });
  return {
    vectorize: async (n: number): Promise<string> =>
      JSON.parse(await (await send(await image(n))).text()).slug,
    /** The name of the product with the most similar image. */
    firstFor: async (slug: string): Promise<string | undefined> => {
      const response = await fetch(`${service().url}/api/v1/search?imageId=${slug}`, { headers });
      return JSON.parse(await response.text()).Products?.[0]?.name;
    },
    described: async (): Promise<number> => {
      const text = await (await fetch(`${service().url}/metrics`)).text();
      return Number(/product_search_catalog_pictures\{state="described"\} (\d+)/.exec(text)?.[1]);
    },
  };
}
