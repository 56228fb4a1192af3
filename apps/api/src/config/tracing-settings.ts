/** The collector of spans, and the share of traces that are recorded. */
export interface TracingSettings {
  /** URL of a collector, without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** From 0 to 1. */
  ratio: number;
}

export function toTracing(
  endpoint: string | undefined,
  headers: Readonly<Record<string, string>>,
  serviceName: string,
  ratio: number,
): TracingSettings | undefined {
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, ratio };
}

/** In OpenTelemetry's format: `name=value`, separated by commas. */
export function parseHeaderList(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ""] = /^\s*([\w-]+)=(.*?)\s*$/.exec(pair) ?? [];
      if (name === undefined) throw new Error("write name=value, with commas between several.");
      return [name, decodeURIComponent(value)];
    }),
  );
}

export function parseRatio(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Error("write a number from 0 to 1.");
  return value;
}
