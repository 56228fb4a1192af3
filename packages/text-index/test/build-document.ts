import type { DocumentFields, IndexDocument } from "../src/index.ts";

type Overrides = Partial<Omit<IndexDocument, "fields">> & { readonly fields?: Partial<DocumentFields> };

/** A document with only the fields that a test needs. */
export function buildDocument(id: number, overrides: string | Overrides = {}): IndexDocument {
  const { fields, ...columns } = typeof overrides === "string" ? { fields: { name: overrides } } : overrides;
  return {
    id,
    tieKey: `p${id}`,
    source: 0,
    priceMinor: 1000,
    rating: 0,
    discount: 0,
    quality: 50,
    availability: 0,
    ...columns,
    fields: { name: "", brand: "", store: "", description: "", category: "", ...fields },
  };
}
