import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { productSources } from "@product-search/core/domain/product.ts";
import { type StagingArea, StagingDamaged } from "@product-search/core/ports/imports.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { createSqliteStagingArea } from "./sqlite.ts";

const chunkBytes = 1024 * 1024;

export interface SharedStagingSettings {
  folder: string;
  db: Kysely<Database>;
  /** The owner of the import lease, as in the import journal. */
  owner: string;
  /** Whether the process that made a file is dead. */
  isLeft?: (name: string) => boolean;
}

/**
 * Staging files on this node. Sealed ones are also stored in PostgreSQL, compressed, so that any node can finish the
 * import of a dead one. A feed is read and sorted on the disk of the node that reads it.
 */
export function createSharedStagingArea({ folder, db, owner, isLeft }: SharedStagingSettings): StagingArea {
  const local = createSqliteStagingArea(folder, isLeft);
  return {
    async create(source) {
      const file = await local.create(source);
      return { ...file, share: (signal) => upload(db, file.name, join(folder, file.name), signal) };
    },
    async open(name) {
      const kept = await local.open(name);
      if (kept !== undefined) return kept;
      return (await download(db, name, folder)) ? local.open(name) : undefined;
    },
    usedBytes: () => local.usedBytes(),
    async remove(name) {
      await db.deleteFrom("staged_chunks").where("file", "=", name).execute();
      await local.remove(name);
    },
    async clear(sealedFiles) {
      await removeChunks(db, owner);
      await local.clear(sealedFiles);
    },
  };
}

/**
 * Removes what other importers into the source left. Others than the holder of its lease remove nothing: an importer that
 * was paused may learn too late that it has lost the lease. Other sources have importers of their own, which may be about
 * to seal a file.
 */
function removeChunks(db: Kysely<Database>, owner: string): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    // Until the transaction ends, nobody else can get the lease.
    const lease = await transaction
      .selectFrom("imports")
      .select("slot")
      .where("owner", "=", owner)
      .forShare()
      .executeTakeFirst();
    const source = productSources[(lease?.slot ?? 0) - 1];
    if (source === undefined) return;
    await transaction
      .deleteFrom("staged_chunks")
      .where((row) =>
        row.or([
          row("file", "like", `${source}.%`),
          // Files of a former release name no source.
          row.not(row.or(productSources.map((name) => row("file", "like", `${name}.%`)))),
        ]),
      )
      .where("file", "not in", (select) =>
        select
          .selectFrom("imports")
          .select((row) => row.ref("staging_file").$notNull().as("file"))
          .where("staging_file", "is not", null),
      )
      .execute();
  });
}

/** In one transaction, so that there is never half a file. */
async function upload(db: Kysely<Database>, name: string, path: string, signal: AbortSignal): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("staged_chunks").where("file", "=", name).execute();
    await pipeline(
      createReadStream(path),
      createGzip({ level: 1, chunkSize: chunkBytes }),
      async (chunks) => {
        let number = 0;
        for await (const bytes of chunks) {
          await transaction.insertInto("staged_chunks").values({ file: name, number, bytes }).execute();
          number += 1;
        }
      },
      { signal },
    );
  });
}

/** False if there is no such file. */
async function download(db: Kysely<Database>, name: string, folder: string): Promise<boolean> {
  if (name.includes("/")) return false;
  const [path, partial] = [join(folder, name), join(folder, `${name}.part`)];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const chunks = readChunks(db, name);
  const first = await chunks.next();
  if (first.done) return false;
  try {
    await pipeline(
      Readable.from(startingWith(first.value, chunks)),
      createGunzip(),
      createWriteStream(partial),
    );
    if (!existsSync(path)) await rename(partial, path);
    return true;
  } catch (cause) {
    await rm(partial, { force: true });
    const isDamaged = cause instanceof Error && "code" in cause && /^Z_|^ERR_/.test(String(cause.code));
    throw isDamaged ? new StagingDamaged("The staging file in PostgreSQL is damaged.", { cause }) : cause;
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* readChunks(db: Kysely<Database>, name: string): AsyncGenerator<Uint8Array, undefined> {
  for (let number = 0; ; number += 1) {
    const chunk = await db
      .selectFrom("staged_chunks")
      .select("bytes")
      .where("file", "=", name)
      .where("number", "=", number)
      .executeTakeFirst();
    if (chunk === undefined) return;
    yield chunk.bytes;
  }
}
