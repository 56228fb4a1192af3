/** The model whose vectors an index holds. */
export interface VectorModel {
  readonly model: string;
  readonly dimensions: number;
}

/** As the record of an index has it. */
export function toIdentity({ model, dimensions }: VectorModel): string {
  return `${dimensions} ${model}`;
}

export function fromIdentity(identity: string): VectorModel {
  const [dimensions = "", ...model] = identity.split(" ");
  return { dimensions: Number(dimensions), model: model.join(" ") };
}
