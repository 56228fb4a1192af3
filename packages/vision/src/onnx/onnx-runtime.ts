/** The part of ONNX Runtime that this package uses. The package is optional, because it has 290 MB. */
export interface OnnxRuntime {
  /** Rejects if the file is not a model that the runtime can run. */
  open(file: string): Promise<OnnxSession>;
}

export interface OnnxSession {
  readonly inputs: readonly OnnxValue[];
  /** Runs the model on its only input. */
  run(data: Float32Array, shape: readonly number[]): Promise<Record<string, OnnxTensor>>;
}

/** A dynamic dimension is undefined. */
export interface OnnxValue {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | undefined)[];
}

export interface OnnxTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

const packageName = "onnxruntime-node";

/** The part of the package's interface that is used here: its types are only available if it is installed. */
interface Installed {
  readonly InferenceSession: { create(file: string, options: object): Promise<InstalledSession> };
  readonly Tensor: new (type: "float32", data: Float32Array, shape: readonly number[]) => object;
}

interface InstalledSession {
  readonly inputMetadata: readonly { name: string; type?: string; shape?: readonly (number | string)[] }[];
  run(feeds: Record<string, object>): Promise<Record<string, { data: unknown; dims: readonly number[] }>>;
}

/** ONNX Runtime with one thread per session: for more throughput, load the model in more threads. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  const { InferenceSession, Tensor } = await importRuntime();
  return {
    async open(file) {
      const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
      const inputs = session.inputMetadata.map(({ name, type = "unknown", shape = [] }) => ({
        name,
        type,
        shape: shape.map((size) => (typeof size === "number" && size > 0 ? size : undefined)),
      }));
      return {
        inputs,
        async run(data, shape) {
          const results = await session.run({ [inputs[0]?.name ?? ""]: new Tensor("float32", data, shape) });
          return Object.fromEntries(Object.entries(results).flatMap(([name, value]) => floats(name, value)));
        },
      };
    },
  };
}

/** Only outputs of type float32 can be used here. */
function floats(
  name: string,
  { data, dims }: { data: unknown; dims: readonly number[] },
): [string, OnnxTensor][] {
  return data instanceof Float32Array ? [[name, { data, shape: dims }]] : [];
}

async function importRuntime(): Promise<Installed> {
  let module: unknown;
  try {
    module = await import(packageName);
  } catch (cause) {
    throw new Error(
      `A learned model needs the package ${packageName}, which could not be loaded. Install it beside this one: ` +
        `pnpm add -w ${packageName}@1.30.0`,
      { cause },
    );
  }
  if (isRuntime(module)) return module;
  throw new Error(
    `The installed ${packageName} is not one that this package knows how to use; install version 1.30.0.`,
  );
}

function isRuntime(module: unknown): module is Installed {
  return typeof module === "object" && module !== null && "InferenceSession" in module && "Tensor" in module;
}
