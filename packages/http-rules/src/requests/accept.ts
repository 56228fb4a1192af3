/**
 * The media type to respond with: the one that the client prefers, the first of `produces` if it prefers several equally,
 * undefined if the client accepts none of them (RFC 9110, 12.5.1).
 */
export function negotiate(accept: string | undefined, produces: readonly string[]): string | undefined {
  if (accept === undefined || accept === "*/*" || accept === produces[0]) return produces[0];
  const ranges = accept.split(",").map(parseRange);
  let best: { type: string; quality: number } | undefined;
  for (const type of produces) {
    const quality = qualityOf(type, ranges);
    if (quality > 0 && (!best || quality > best.quality)) best = { type, quality };
  }
  return best?.type;
}

interface MediaRange {
  range: string;
  quality: number;
}

function parseRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The preference of the most specific range that matches the type. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const candidate of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((one) => one.range === candidate);
    if (range) return range.quality;
  }
  return 0;
}
