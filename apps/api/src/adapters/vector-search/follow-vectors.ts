import { typicalSimilarity } from "@product-search/core/domain/similarity.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import { createWakeup, type UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import { type GenerationSettings, type IndexedModel, openGeneration } from "./generation.ts";
import {
  findDamage,
  readVectorFile,
  removeVectorFilesExcept,
  type VectorFile,
  type VectorSegments,
} from "./vector-file.ts";

export interface FollowVectorsSettings extends IndexedModel, GenerationSettings {
  store: GenerationSettings["store"] & Pick<ProductImageStore, "scan">;
  /** Called with the segments when they are complete, and again whenever they are replaced. */
  publish(segments: VectorSegments): void;
  /** Writes a new base file on another thread; see build-vector-file.ts. */
  buildFile(model: IndexedModel): Promise<VectorFile>;
  /** Called when a file could not be built. The build is retried. */
  onFailure(error: unknown): void;
  pollMs?: number;
  untilChange?: UntilChange;
}

export interface VectorFollower {
  /** Why the stored file was not used; undefined if it was. */
  readonly unusable: string | undefined;
  /** The model whose vectors are searched. */
  model(): string;
  /** The sequence up to which searches see all changes of the vectors. */
  sequence(): number;
  /** Searches continue with the vectors of the former model until all vectors of the new one are in a file. */
  switchTo(model: IndexedModel): void;
  /** Resolves when following ends. Rejects if it failed, so that a supervisor can react. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const retryBuildMs = 5000;
/** A new catalog fills only the delta. Similarity is measured at this number of vectors, and again each time it doubles. */
const firstMeasuredRows = 64;

/** Keeps the segments up to date with the vectors in the store. Resolves when they are complete. */
export async function followVectors(settings: FollowVectorsSettings): Promise<VectorFollower> {
  const { folder, pollMs = 100, untilChange = pause } = settings;
  const stopping = new AbortController();
  const wakeup = createWakeup(untilChange);
  const kept = await readKeptFile(settings);
  let wanted: IndexedModel = { model: settings.model, dimensions: settings.dimensions };
  const open = async (model: IndexedModel, file: VectorFile | undefined) =>
    openGeneration(
      settings,
      model,
      file,
      await typicalSimilarity(settings.store, model.model, file?.maxRowId),
    );
  let generation = await open(wanted, kept.file);
  let measuredAgainAt = firstMeasuredRows;
  let building: Promise<void> | undefined;
  let built: VectorFile | undefined;

  await generation.catchUp();
  settings.publish(generation.segments);
  removeVectorFilesExcept(folder, kept.file ? [kept.file.file] : []);

  const isDue = () => generation.isHalfFull() || generation.segments.model !== wanted.model;
  const build = async () => {
    try {
      built = await settings.buildFile(wanted);
    } catch (error) {
      settings.onFailure(error);
      await pause(retryBuildMs, stopping.signal);
    } finally {
      building = undefined;
      wakeup.signal();
    }
  };
  const replaced = new Set<string>();
  const adopt = async (file: VectorFile) => {
    const former = generation.file;
    generation = await open(file, file);
    await generation.catchUp();
    settings.publish(generation.segments);
    // The former file stays for threads that do not know the new one yet.
    removeVectorFilesExcept(folder, [file.file, ...(former ? [former.file] : [])], replaced);
    replaced.clear();
    if (former !== undefined) replaced.add(former.file);
  };
  const measureAgain = async () => {
    if (generation.file !== undefined || generation.rows() < measuredAgainAt) return;
    measuredAgainAt = 2 * generation.rows();
    const { segments } = generation;
    segments.typicalSimilarity = await typicalSimilarity(settings.store, segments.model, undefined);
    settings.publish(segments);
  };
  const follow = async () => {
    while (!stopping.signal.aborted) {
      await generation.catchUp();
      await measureAgain();
      if (built !== undefined) {
        const file = built;
        built = undefined;
        if (file.model === wanted.model) await adopt(file);
      }
      if (building === undefined && isDue()) building = build();
      await wakeup.wait(pollMs, stopping.signal);
    }
  };
  const ended = follow();
  return {
    unusable: kept.unusable,
    model: () => generation.segments.model,
    sequence: () => generation.sequence(),
    switchTo(model) {
      wanted = model;
      wakeup.signal();
    },
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function readKeptFile({ store, folder, model, dimensions }: FollowVectorsSettings) {
  const kept = readVectorFile(folder);
  if (kept.file === undefined) return kept;
  const { file } = kept;
  const fault =
    file.model !== model || file.dimensions !== dimensions
      ? "it holds vectors of another model"
      : file.sequence > (await store.lastSequence())
        ? "it is ahead of the store"
        : findDamage(folder, file);
  return fault === undefined ? kept : { file: undefined, unusable: fault };
}
