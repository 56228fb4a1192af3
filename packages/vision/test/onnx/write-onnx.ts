/** Writes the few parts of an ONNX file (github.com/onnx/onnx, onnx.proto) that small test models need. */
export interface TestModel {
  readonly inputs: readonly TestValue[];
  readonly constants?: readonly TestTensor[];
  readonly nodes: readonly {
    readonly op: string;
    readonly inputs: readonly string[];
    readonly output: string;
  }[];
  readonly outputs: readonly TestValue[];
}

/** A text in the shape is a dynamic dimension. */
export interface TestValue {
  readonly name: string;
  readonly shape: readonly (number | string)[];
  readonly type?: "float32" | "float16";
}

export interface TestTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

const float = 1;
const float16Type = 10;

export function writeOnnx({ inputs, constants = [], nodes, outputs }: TestModel): Buffer {
  const graph = [
    ...nodes.map(({ op, inputs: from, output }) =>
      field(1, [...from.map((name) => field(1, name)), field(2, output), field(4, op)]),
    ),
    field(2, "test"),
    ...constants.map(({ name, shape, data }) =>
      field(5, [
        ...shape.map((size) => field(1, size)),
        field(2, float),
        field(8, name),
        field(9, Buffer.from(Float32Array.from(data).buffer)),
      ]),
    ),
    ...inputs.map((value) => field(11, valueInfo(value))),
    ...outputs.map((value) => field(12, valueInfo(value))),
  ];
  return Buffer.concat([field(1, 8), field(7, graph), field(8, [field(2, 13)])]);
}

function valueInfo({ name, shape, type }: TestValue): Buffer[] {
  const dimensions = shape.map((size) =>
    field(1, [typeof size === "number" ? field(1, size) : field(2, size)]),
  );
  const tensor = [field(1, type === "float16" ? float16Type : float), field(2, dimensions)];
  return [field(1, name), field(2, [field(1, tensor)])];
}

/** One protobuf field: numbers as varints, everything else with its length first. */
function field(number: number, value: number | string | Buffer | readonly Buffer[]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes =
    typeof value === "string" || Buffer.isBuffer(value) ? Buffer.from(value) : Buffer.concat(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
