import { readFileSync } from "node:fs";

/** The path of the settings file next to a model: `.json` instead of `.onnx`. */
export function settingsFile(model: string): string {
  return `${model.replace(/\.onnx$/, "")}.json`;
}

/** Reads all settings of the file. Each is checked by its rule; a setting without a rule is refused. */
export class OnnxSettings {
  readonly file: string;
  readonly source: string;
  readonly #values: Map<string, unknown>;

  constructor(model: string, names: readonly string[]) {
    this.file = settingsFile(model);
    this.source = readText(this.file);
    this.#values = new Map(Object.entries(parseObject(this.source, this.file)));
    for (const name of this.#values.keys()) {
      if (!names.includes(name))
        throw new Error(`${this.file}: "${name}" is no setting; known are ${names.join(", ")}.`);
    }
  }

  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.#values.get(name);
    if (value === undefined) return otherwise;
    const chosen = allowed.find((one) => one === value);
    if (chosen === undefined) throw this.#wrong(name, `one of ${allowed.join(", ")}`);
    return chosen;
  }

  number(name: string, { from, to }: { from: number; to: number }): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !(value >= from && value <= to)) {
      throw this.#wrong(name, `a number from ${from} to ${to}`);
    }
    return value;
  }

  /** Three numbers, for red, green and blue. */
  channels(name: string, { above = -Infinity } = {}): readonly [number, number, number] {
    const value = this.#values.get(name);
    if (Array.isArray(value) && value.length === 3) {
      const [red, green, blue]: unknown[] = value;
      const isFit = (one: unknown): one is number => typeof one === "number" && one > above;
      if (isFit(red) && isFit(green) && isFit(blue)) return [red, green, blue];
    }
    throw this.#wrong(
      name,
      `three numbers${above === -Infinity ? "" : ` above ${above}`}, for red, green and blue`,
    );
  }

  names(name: string): readonly string[] {
    const value = this.#values.get(name);
    if (!Array.isArray(value) || value.length === 0) throw this.#wrong(name, "a list of at least one name");
    return value.map((one: unknown) => {
      if (typeof one !== "string" || one.trim() === "")
        throw this.#wrong(name, "a list of names, none of them empty");
      return one;
    });
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value !== undefined && typeof value !== "string") throw this.#wrong(name, "a text");
    return value;
  }

  #wrong(name: string, expected: string): Error {
    const value = this.#values.get(name);
    const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
    return new Error(`${this.file}: "${name}" ${found}; it must be ${expected}.`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(
      `${file} cannot be read; a model needs this settings file beside it (see docs/vision-models.md).`,
      {
        cause,
      },
    );
  }
}

function parseObject(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON; write one object with the model's settings.`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${file} must hold one JSON object with the model's settings.`);
}
