import { setImmediate } from "node:timers/promises";
import { AttributeCounts, maxFacetAttributes } from "@product-search/core/domain/attributes.ts";
import {
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { countAttributeNames, type IndexDocument, nameKey, type Snapshot } from "@product-search/text-index";
import type { CatalogLog } from "./catalog-log.ts";

/** A name takes the place of another only if it has clearly more products. */
const clearly = 1.25;
const scanBatch = 1000;

/** The keys of the names by source, in a form that can be sent to another thread. */
export type FacetAttributeLists = Readonly<Partial<Record<ProductSource, readonly string[]>>>;

/**
 * Which names of attributes are facets and filters: the first ones of each source, until they are chosen by the number of their
 * products. The values of the others are only searched as text.
 */
export class FacetAttributes {
  readonly #chosen: Record<ProductSource, Set<string>>;
  /** How many products with a name that is no facet were seen. */
  readonly #others: Record<ProductSource, AttributeCounts>;
  readonly #isFixed: boolean;

  /** `isFixed`: no name is added to these lists. */
  constructor(lists: FacetAttributeLists = {}, isFixed = false) {
    this.#chosen = recordOf(productSources, (source) => new Set(lists[source]));
    this.#others = recordOf(productSources, () => new AttributeCounts());
    this.#isFixed = isFixed;
  }

  static ofIndex(snapshot: Snapshot): FacetAttributes {
    const counts = countAttributeNames(snapshot);
    return new FacetAttributes(recordOf(productSources, (_, code) => [...(counts.get(code)?.keys() ?? [])]));
  }

  get lists(): FacetAttributeLists {
    return recordOf(productSources, (source) => [...this.#chosen[source]]);
  }

  /** What a document has of the attributes of a product. */
  split({
    source,
    attributes = {},
  }: Pick<StoredProduct, "source" | "attributes">): Pick<IndexDocument, "attributes" | "otherAttributes"> {
    const facets: (readonly [string, string])[] = [];
    const others: string[] = [];
    for (const [name, values] of Object.entries(attributes))
      if (this.#isFacet(source, name)) for (const value of values) facets.push([name, value]);
      else others.push(...values);
    return others.length === 0 ? { attributes: facets } : { attributes: facets, otherAttributes: others };
  }

  #isFacet(source: ProductSource, name: string): boolean {
    const chosen = this.#chosen[source];
    const key = nameKey(name);
    if (chosen.has(key)) return true;
    if (!this.#isFixed && chosen.size < maxFacetAttributes) {
      chosen.add(key);
      return true;
    }
    this.#others[source].add(key);
    return false;
  }

  /** Whether a source may have more names than are facets. */
  get isFull(): boolean {
    return productSources.some((source) => this.#chosen[source].size >= maxFacetAttributes);
  }

  /** Whether a name that is no facet seems to have clearly more products than one that is. */
  isOutdated(snapshot: Snapshot): boolean {
    if (productSources.every((source) => this.#others[source].most === 0)) return false;
    const counts = countAttributeNames(snapshot);
    return productSources.some((source, code) => {
      const products = [...this.#chosen[source]].map((key) => counts.get(code)?.get(key) ?? 0);
      return this.#others[source].most > clearly * Math.min(...products);
    });
  }

  /** The names of most products. Undefined if they are those that are chosen now. */
  async chooseAgain(log: Pick<CatalogLog, "scan">): Promise<FacetAttributes | undefined> {
    const counts = recordOf(productSources, () => new AttributeCounts());
    for (let last = 0; ; ) {
      const products = await log.scan(last, scanBatch);
      for (const { source, attributes = {} } of products) counts[source].addAll(attributes);
      await setImmediate();
      const newest = products.at(-1);
      if (newest === undefined) break;
      last = newest.rowId;
    }
    const chosen = new FacetAttributes(
      recordOf(productSources, (source) => {
        const current = this.#chosen[source];
        const frequent = counts[source].mostFrequent(maxFacetAttributes, current);
        return [...new Set([...frequent, ...current])].slice(0, maxFacetAttributes);
      }),
    );
    const isSame = productSources.every((source) => {
      const [before, after] = [this.#chosen[source], chosen.#chosen[source]];
      return before.size === after.size && [...before].every((key) => after.has(key));
    });
    if (isSame) for (const source of productSources) this.#others[source].clear();
    return isSame ? undefined : chosen;
  }
}
