import { readFileSync } from "node:fs";
import type { OnnxRuntime, OnnxTensor, OnnxValue } from "../../src/onnx/onnx-runtime.ts";

/**
 * Runs the models that `write-onnx.ts` writes. The default installation has no ONNX Runtime, so tests use this instead:
 * they cover everything but the runtime itself. It supports three operators: Identity, Flatten and GlobalAveragePool.
 */
export const tinyRuntime: OnnxRuntime = {
  async open(file) {
    const model = fieldsOf(readFileSync(file));
    const graph = model.find(({ number }) => number === 7);
    if (graph === undefined) throw new Error("protobuf parsing failed");
    const parts = fieldsOf(graph.bytes);
    const all = (number: number) =>
      parts.filter((part) => part.number === number).map(({ bytes }) => fieldsOf(bytes));
    const inputs = all(11).map(readValue);
    return {
      inputs,
      async run(data, shape) {
        const tensors = new Map<string, OnnxTensor>([[inputs[0]?.name ?? "", { data, shape }]]);
        for (const constant of all(5)) tensors.set(text(constant, 8), readTensor(constant));
        for (const node of all(1)) {
          const input = tensors.get(text(node, 1));
          if (input === undefined) throw new Error(`no value ${text(node, 1)}`);
          tensors.set(text(node, 2), operate(text(node, 4), input));
        }
        const empty = { data: new Float32Array(), shape: [0] };
        return Object.fromEntries(
          all(12).map((value) => [text(value, 1), tensors.get(text(value, 1)) ?? empty]),
        );
      },
    };
  },
};

function operate(operator: string, { data, shape }: OnnxTensor): OnnxTensor {
  const [batch = 1, channels = 1, ...rest] = shape;
  if (operator === "Identity") return { data, shape };
  if (operator === "Flatten") return { data, shape: [batch, data.length / batch] };
  if (operator !== "GlobalAveragePool") throw new Error(`no operator ${operator}`);
  const pixels = data.length / channels;
  const means = Float32Array.from({ length: channels }, (_, channel) => {
    return data
      .subarray(channel * pixels, (channel + 1) * pixels)
      .reduce((sum, value) => sum + value / pixels, 0);
  });
  return { data: means, shape: [batch, channels, ...rest.map(() => 1)] };
}

interface Field {
  readonly number: number;
  readonly value: number;
  readonly bytes: Buffer;
}

function fieldsOf(buffer: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = buffer.readUInt8(at++);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < buffer.length) {
    const key = varint();
    const value = varint();
    const length = (key & 7) === 2 ? value : 0;
    fields.push({ number: key >> 3, value, bytes: buffer.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

function text(fields: readonly Field[], number: number): string {
  return fields.find((field) => field.number === number)?.bytes.toString() ?? "";
}

function inside(fields: readonly Field[], number: number): Field[] {
  return fieldsOf(fields.find((field) => field.number === number)?.bytes ?? Buffer.alloc(0));
}

function readValue(fields: readonly Field[]): OnnxValue {
  const tensor = inside(inside(fields, 2), 1);
  const dimensions = inside(tensor, 2).map(({ bytes }) => fieldsOf(bytes)[0]);
  return {
    name: text(fields, 1),
    type: tensor.find(({ number }) => number === 1)?.value === 1 ? "float32" : "float16",
    shape: dimensions.map((dimension) => (dimension?.number === 1 ? dimension.value : undefined)),
  };
}

function readTensor(fields: readonly Field[]): OnnxTensor {
  const shape = fields.filter(({ number }) => number === 1).map(({ value }) => value);
  const raw = Uint8Array.from(fields.find(({ number }) => number === 9)?.bytes ?? []);
  return { data: new Float32Array(raw.buffer), shape };
}
