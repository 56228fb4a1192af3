/** Reads metrics in Prometheus's text format: the labels of each series, by its name. */
export function labelsBySeries(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const [, name, labels = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

export interface NamesInQuery {
  metrics: string[];
  /** Of matchers and of `by` and `without`. */
  labels: string[];
}

const words = new Set(["and", "or", "unless", "by", "without", "on", "ignoring", "bool", "offset"]);

/** The metrics and labels in a PromQL query. It does not validate the query; promtool does. */
export function namesInQuery(query: string): NamesInQuery {
  const labels = new Set<string>();
  const withoutTexts = query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, "");
  const withoutGroups = withoutTexts.replaceAll(
    /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g,
    (_, list: string) => {
      for (const label of list.split(",")) if (label.trim() !== "") labels.add(label.trim());
      return "";
    },
  );
  const withoutMatchers = withoutGroups.replaceAll(/\{([^}]*)\}/g, (_, list: string) => {
    for (const [, label = ""] of list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.add(label);
    return "";
  });
  const names = [...withoutMatchers.matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)(?!\w*\s*\()/g)].map(
    ([, name = ""]) => name,
  );
  return { metrics: names.filter((name) => !words.has(name)), labels: [...labels] };
}
