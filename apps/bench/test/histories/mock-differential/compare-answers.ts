import type { Answer } from "./send-request.ts";

/** Of the connection or the moment, not of the response. */
const ignoredHeaders = ["connection", "keep-alive", "date", "content-length", "transfer-encoding"];
/** Must be there, with a value of its own. */
const variableHeaders = ["x-request-id", "ratelimit", "ratelimit-policy", "access-control-expose-headers"];

/** The mock looks at no image, so these find other products, which have other optional fields and agree on other categories. */
const byImage = ["searchByImage", "similarProducts", "relatedProducts"];
const optional =
  /^body\.(?:categories|closest:|(?:Products|closest)\[\]\.(?:brand|averageRating|serviceScore|reviewCount|originalPrice|gtin|mpn|groupId|attributes[^:]*):)/;

/** Every way in which two answers differ in status, headers or the shape of the body; empty when they do not. */
export function compareAnswers(one: Answer, other: Answer, operationId: string): string[] {
  const differences = [
    ...(one.status === other.status ? [] : [`status ${one.status} and ${other.status}`]),
    ...compareHeaders(one.headers, other.headers),
  ];
  if (differences.length > 0) return differences;
  const shapes = compareShapes(one.body, other.body, "body");
  return byImage.includes(operationId) ? shapes.filter((shape) => !optional.test(shape)) : shapes;
}

function compareHeaders(one: Record<string, string>, other: Record<string, string>): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names]
    .filter((name) => !ignoredHeaders.includes(name))
    .filter((name) => shownHeader(one, name) !== shownHeader(other, name))
    .map((name) => `header ${name}: ${one[name]} and ${other[name]}`);
}

function shownHeader(headers: Record<string, string>, name: string): string | undefined {
  return variableHeaders.includes(name) && name in headers ? "present" : headers[name];
}

/** Which fields are always there, and of which type each value is. Codes and messages count as they are. */
function compareShapes(one: unknown, other: unknown, path: string): string[] {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length === 0 || other.length === 0) return [];
    return compareShapes(commonFields(one), commonFields(other), `${path}[]`);
  }
  if (isRecord(one) && isRecord(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => compareShapes(one[name], other[name], `${path}.${name}`));
  }
  if (/\.code$/.test(path) && one !== other) return [`${path}: ${one} and ${other}`];
  return typeOf(one) === typeOf(other) ? [] : [`${path}: ${typeOf(one)} and ${typeOf(other)}`];
}

/** The fields that every item has, with the values of the first. */
function commonFields(items: readonly unknown[]): unknown {
  const [first] = items;
  if (!isRecord(first)) return first;
  const fields = Object.entries(first).filter(([name]) =>
    items.every((item) => isRecord(item) && name in item),
  );
  return Object.fromEntries(fields);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
