import { productId } from "@product-search/core/domain/identity.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  DiskSpace,
  ReadDiskSpace,
  StagingArea,
  StagingFile,
} from "@product-search/core/ports/imports.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";

export interface DiskRoomDeps {
  readDiskSpace: ReadDiskSpace;
  /** All staged feeds together; by default 20 GiB, or half of the free space if that is less. */
  maxStagedBytes?: number | undefined;
}

const usualMaxStagedBytes = 20 * 1024 ** 3;
const minReserveBytes = 100e6;
const maxReserveBytes = 2e9;
const reservePart = 0.05;
/** So much is staged between two looks at the disk. */
const lookEveryBytes = 4 * 1024 ** 2;

/** Of a row, in the indexes by which a staging file is sorted. */
const sortBytesPerRow = 100;
/**
 * What a product takes in the store and in the indexes, measured with rows of 190 bytes, 470 bytes and 10 kB: its own size
 * twice, and so much more. A product that is there already takes its price history and a part of a new index.
 */
const [newBytesPerByte, newBytesPerRow] = [2, 400];
const [keptBytesPerByte, keptBytesPerRow] = [0.25, 150];
/** Rows are in the order of hashes, so the first ones are a random sample. */
const sampledRows = 1000;

/** Searches, webhooks and the log of the database need space too. */
function reserveOf({ total }: DiskSpace): number {
  return Math.min(maxReserveBytes, Math.max(minReserveBytes, total * reservePart));
}

export interface StagingRoom {
  /** Call it after rows were added. Fails if there are too many bytes on the disk, or would be after sorting. */
  check(): Promise<void>;
  /** The same, whatever was added since the last look. */
  checkNow(): Promise<void>;
}

export async function openStagingRoom(
  { readDiskSpace, maxStagedBytes, stagingArea }: DiskRoomDeps & { stagingArea: StagingArea },
  staging: StagingFile,
): Promise<StagingRoom> {
  const { free } = await readDiskSpace();
  const limit = maxStagedBytes ?? Math.min(usualMaxStagedBytes, (free + (await stagingArea.usedBytes())) / 2);
  let lookedAtBytes = 0;
  const checkNow = async () => {
    const { bytes, rows } = staging.size();
    lookedAtBytes = bytes;
    const used = await stagingArea.usedBytes();
    if (used > limit) {
      throw new FeedError(
        `The feed is too large: all staged feeds together take ${mb(used)} MB, and ${mb(limit)} MB are allowed. Nothing was changed. ` +
          "Import a smaller feed, free space, or set STAGING_LIMIT_MB to more.",
      );
    }
    await assertFree(readDiskSpace, rows * sortBytesPerRow, "to read this feed");
  };
  await checkNow();
  return {
    checkNow,
    async check() {
      if (staging.size().bytes - lookedAtBytes >= lookEveryBytes) await checkNow();
    },
  };
}

/** Refuses an import that would fill the disk while it is applied, when it could not be taken back any more. */
export async function assertRoomToApply(
  { readDiskSpace, catalogStore }: DiskRoomDeps & { catalogStore: Pick<CatalogStore, "findByIds"> },
  staging: StagingFile,
): Promise<void> {
  const ids: string[] = [];
  for (const { change } of staging.rowsAfter(0)) {
    ids.push(productId(change.source, change.key));
    if (ids.length === sampledRows) break;
  }
  const newPart = ids.length === 0 ? 0 : 1 - (await catalogStore.findByIds(ids)).length / ids.length;
  const { bytes, rows } = staging.size();
  const growth =
    newPart * (newBytesPerByte * bytes + newBytesPerRow * rows) +
    (1 - newPart) * (keptBytesPerByte * bytes + keptBytesPerRow * rows);
  await assertFree(readDiskSpace, growth, "to apply this feed");
}

async function assertFree(readDiskSpace: ReadDiskSpace, bytes: number, purpose: string): Promise<void> {
  const disk = await readDiskSpace();
  const reserve = reserveOf(disk);
  if (disk.free >= bytes + reserve) return;
  throw new FeedError(
    `There is not enough space on the disk of DATA_DIR: ${mb(disk.free)} MB are free, and about ${mb(bytes)} MB are needed ` +
      `${purpose}, besides ${mb(reserve)} MB that stay free. Nothing was changed. Free space and import again.`,
  );
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e6);
}
