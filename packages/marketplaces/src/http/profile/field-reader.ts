import { compileExpression, type Expression, type Json } from "./expression.ts";
import { type Field, optionalFields, type Profile, requiredFields, type Transform } from "./profile.ts";
import { createTransforms } from "./transform-value.ts";

/** Reads the fields of one entry according to the profile. */
export interface EntryFields {
  text(field: Field): string | undefined;
  number(field: Field): number | undefined;
  texts(field: Field): string[];
  /** The fields so far that had an invalid value. */
  notes: string[];
}

const ownTransform: Record<Field, Transform> = {
  itemCode: "text",
  name: "html",
  price: "money",
  url: "url",
  currency: "text",
  originalPrice: "money",
  images: "url",
  brand: "html",
  storeName: "html",
  description: "html",
  availability: "availability",
  averageRating: "number",
  reviewCount: "number",
};
const maxShown = 60;

export function createFieldReader(profile: Profile): (entry: Json) => EntryFields {
  const transforms = createTransforms(profile);
  const fields = new Map<Field, { evaluate: Expression; transform: Transform }>();
  for (const field of [...requiredFields, ...optionalFields]) {
    const mapping = profile.item[field];
    if (mapping === undefined) continue;
    const path = typeof mapping === "string" ? mapping : mapping.path;
    const transform = typeof mapping === "string" ? ownTransform[field] : mapping.transform;
    fields.set(field, { evaluate: compileExpression(path), transform });
  }

  return (entry) => {
    const notes: string[] = [];
    const values = (field: Field): (string | number)[] => {
      const mapping = fields.get(field);
      if (!mapping) return [];
      return evaluateAll(mapping.evaluate, entry, field, notes).flatMap((value) => {
        const made = transforms[mapping.transform](value);
        if (made === undefined && value !== "")
          notes.push(`${field}: ${shown(value)} is not a valid ${mapping.transform}`);
        return made ?? [];
      });
    };
    return {
      notes,
      text: (field) => values(field).map(String)[0],
      number: (field) => values(field).find((value) => typeof value === "number"),
      texts: (field) => values(field).map(String),
    };
  };
}

/** Every value of a list. If the expression fails on this entry, there are none. */
function evaluateAll(evaluate: Expression, entry: Json, field: Field, notes: string[]): Json[] {
  try {
    const found = evaluate(entry);
    return (Array.isArray(found) ? found : [found]).filter((value) => value !== null);
  } catch (error) {
    notes.push(`${field}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

function shown(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxShown));
  return typeof value === "object" ? "an object" : String(value);
}
