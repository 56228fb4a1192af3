import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** An error of SQLite; `code` is its symbolic name, such as `SQLITE_BUSY`. */
export class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string;
  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** https://www.sqlite.org/rescode.html: primary codes by their numbers, and the extended ones that we distinguish. */
const primaryCodes =
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB".split(
    " ",
  );
const ioCodes: Readonly<Record<number, string>> = {
  3: "WRITE",
  4: "FSYNC",
  5: "DIR_FSYNC",
  6: "TRUNCATE",
  18: "SHMOPEN",
  19: "SHMSIZE",
  20: "SHMLOCK",
  21: "SHMMAP",
};

function codeOf(number: number): string {
  const primary = primaryCodes[number & 0xff] ?? "ERROR";
  const io = primary === "IOERR" ? ioCodes[number >> 8] : undefined;
  return `SQLITE_${primary}${io === undefined ? "" : `_${io}`}`;
}

function named(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  return new SqliteError(error.message, codeOf(error.errcode), { cause: error });
}

type Parameter = SQLInputValue | undefined;
type NamedParameters = Record<string, Parameter>;

/** A prepared statement. Parameters are given one by one, as one list, or by name as one object. */
export class Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  readonly source: string;
  readonly reader: boolean;
  readonly #statement: StatementSync;
  #isPlucked = false;

  constructor(statement: StatementSync, source: string) {
    this.#statement = statement;
    this.source = source;
    this.reader = statement.columns().length > 0;
  }

  /** Rows are the values of the first column. */
  pluck(): this {
    this.#statement.setReturnArrays(true);
    this.#isPlucked = true;
    return this;
  }

  run(...parameters: Parameters): { changes: number; lastInsertRowid: number } {
    try {
      const { changes, lastInsertRowid } = this.#statement.run(...bound(parameters));
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    } catch (error) {
      throw named(error);
    }
  }

  get(...parameters: Parameters): Row | undefined {
    try {
      const row = this.#statement.get(...bound(parameters));
      return row === undefined ? undefined : this.#read(row);
    } catch (error) {
      throw named(error);
    }
  }

  all(...parameters: Parameters): Row[] {
    try {
      const rows: unknown[] = this.#statement.all(...bound(parameters));
      return this.#isPlucked ? rows.map((row) => this.#read(row)) : (rows as Row[]);
    } catch (error) {
      throw named(error);
    }
  }

  *iterate(...parameters: Parameters): IterableIterator<Row> {
    try {
      for (const row of this.#statement.iterate(...bound(parameters))) yield this.#read(row);
    } catch (error) {
      throw named(error);
    }
  }

  #read(row: unknown): Row {
    return (Array.isArray(row) && this.#isPlucked ? row[0] : row) as Row;
  }
}

/** What is undefined is stored as null. */
function bound(parameters: readonly unknown[]): SQLInputValue[] {
  const [first] = parameters;
  const values = Array.isArray(first) ? first : parameters;
  if (values.includes(undefined)) return values.map((value) => (value === undefined ? null : value));
  if (values.length === 1 && isNamed(first)) {
    if (!Object.values(first).includes(undefined)) return values as SQLInputValue[];
    const known = Object.entries(first).map(([name, value]) => [name, value ?? null]);
    return [Object.fromEntries(known)];
  }
  return values as SQLInputValue[];
}

function isNamed(value: unknown): value is NamedParameters {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
}

type Mode = "deferred" | "immediate" | "exclusive";

/** Work in a transaction, or in a savepoint of one that is open. */
export interface Transaction<Arguments extends unknown[], Result> {
  (...given: Arguments): Result;
  deferred(...given: Arguments): Result;
  immediate(...given: Arguments): Result;
  exclusive(...given: Arguments): Result;
  /** `immediate`, after the lock of others and the open transaction of this connection, without blocking the thread. */
  soon(...given: Arguments): Promise<Result>;
}

export interface DatabaseOptions {
  readonly?: boolean;
  fileMustExist?: boolean;
  /** How long a lock of another connection is waited for, in milliseconds. */
  timeout?: number;
  /**
   * Writes what is in the write-ahead log to the disk. With it, transactions that begin soon leave this to another thread of the
   * system, and end when it is done: a disk may take a tenth of a second. Others see a commit before.
   */
  flush?(log: FileHandle): Promise<void>;
}

const usualTimeoutMs = 5000;
/** As SQLite numbers the values of `synchronous`. */
const fullySynchronous = 2;
/** Between two attempts to begin a transaction. SQLite itself waits for similar times, but blocks the thread meanwhile. */
const maxPauseMs = 16;

/** A connection of `node:sqlite`, with prepared transactions and errors that say SQLite's code. */
export class Database {
  readonly name: string;
  readonly readonly: boolean;
  readonly #database: DatabaseSync;
  readonly #timeoutMs: number;
  readonly #flush: DatabaseOptions["flush"];

  constructor(
    path: string,
    { readonly = false, fileMustExist = false, timeout = usualTimeoutMs, flush }: DatabaseOptions = {},
  ) {
    this.name = path;
    this.readonly = readonly;
    this.#timeoutMs = timeout;
    this.#flush = flush;
    if (fileMustExist && !existsSync(path))
      throw new SqliteError(`unable to open database file ${path}`, "SQLITE_CANTOPEN");
    try {
      // In the defensive mode of SQLite, a journal cannot be turned off.
      this.#database = new DatabaseSync(path, { readOnly: readonly, timeout, defensive: false });
    } catch (error) {
      throw named(error);
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  get open(): boolean {
    return this.#database.isOpen;
  }

  prepare<Parameters extends unknown[] | object = unknown[], Row = unknown>(
    source: string,
  ): Statement<Parameters extends unknown[] ? Parameters : [Parameters], Row> {
    try {
      return new Statement(this.#database.prepare(source), source);
    } catch (error) {
      throw named(error);
    }
  }

  /** A function that statements can call. */
  function(
    name: string,
    options: { deterministic: boolean },
    work: (value: SQLOutputValue) => SQLInputValue,
  ): void {
    this.#database.function(name, options, work);
  }

  exec(source: string): void {
    try {
      this.#database.exec(source);
    } catch (error) {
      throw named(error);
    }
  }

  pragma(source: string, { simple = false } = {}): unknown {
    const statement = this.prepare(`pragma ${source}`);
    return simple ? statement.pluck().get() : statement.all();
  }

  transaction<Arguments extends unknown[], Result>(
    work: (...given: Arguments) => Result,
  ): Transaction<Arguments, Result> {
    const prepare =
      (mode: Mode) =>
      (...given: Arguments): Result =>
        this.#transact(mode, () => work(...given));
    return Object.assign(prepare("deferred"), {
      deferred: prepare("deferred"),
      immediate: prepare("immediate"),
      exclusive: prepare("exclusive"),
      soon: async (...given: Arguments): Promise<Result> => {
        const { result, flushed } = await this.#soon(() => {
          try {
            return { result: this.#finish(() => work(...given)), flushed: this.#untilFlushed() };
          } catch (error) {
            this.#flushCommits();
            throw error;
          }
        });
        await flushed;
        return result;
      },
    });
  }

  /**
   * Begins a transaction that may write. Others that hold the lock are waited for as long as the timeout of the connection says,
   * while the thread goes on with other work.
   */
  beginSoon(): Promise<void> {
    return this.#soon(() => {});
  }

  /** The next statement is that of the work: nobody else on this connection comes between. */
  async #soon<Result>(work: () => Result): Promise<Result> {
    const latestMs = performance.now() + this.#timeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await this.untilFree();
      // Another one that waited may have begun since.
      if (this.inTransaction) continue;
      if (this.#tryToBegin()) return work();
      if (performance.now() > latestMs) throw new SqliteError("database is locked", "SQLITE_BUSY");
      await sleep(pauseMs);
    }
  }

  /** Waits for another transaction on this connection. */
  async untilFree(): Promise<void> {
    for (const startedAt = performance.now(); this.inTransaction; await sleep(1)) {
      if (performance.now() - startedAt > this.#timeoutMs)
        throw new SqliteError("another transaction is open on the same connection", "SQLITE_BUSY");
    }
  }

  /** Ends a transaction that began soon. */
  async commitSoon(): Promise<void> {
    this.#control("commit");
    await this.#untilFlushed();
  }

  /** After some errors, such as a full disk, SQLite has already rolled back: a second rollback would hide the first error. */
  rollback(): void {
    if (this.inTransaction) this.#control("rollback");
    this.#flushCommits();
  }

  #tryToBegin(): boolean {
    // SQLite obeys a pragma when it is compiled: one that was prepared before would change nothing.
    this.exec("pragma busy_timeout = 0");
    try {
      if (this.#flush !== undefined && this.pragma("synchronous", { simple: true }) === fullySynchronous) {
        this.exec("pragma synchronous = NORMAL");
        this.#commitsUnflushed = true;
      }
      this.#control("begin immediate");
      return true;
    } catch (error) {
      this.#flushCommits();
      if (error instanceof SqliteError && error.code === "SQLITE_BUSY") return false;
      throw error;
    } finally {
      this.exec(`pragma busy_timeout = ${this.#timeoutMs}`);
    }
  }

  /** Whether the present transaction is committed without waiting for the disk. */
  #commitsUnflushed = false;

  #flushCommits(): void {
    if (this.#commitsUnflushed) this.exec("pragma synchronous = FULL");
    this.#commitsUnflushed = false;
  }

  #log: FileHandle | undefined;
  #flushing: Promise<void> | undefined;
  #nextFlush: Promise<void> | undefined;
  #isLogBroken = false;

  /** After a commit. A flush that has begun may have come too early: the next one is for all that wait for it. */
  async #untilFlushed(): Promise<void> {
    if (!this.#commitsUnflushed) return;
    this.#flushCommits();
    this.#nextFlush ??= this.#flushNext();
    await this.#nextFlush;
  }

  async #flushNext(): Promise<void> {
    await this.#flushing?.catch(() => {});
    this.#flushing = this.#nextFlush;
    this.#nextFlush = undefined;
    if (!this.open) return;
    try {
      this.#log ??= await open(`${this.name}-wal`, "r+");
      if (this.#isLogBroken) this.#beginLogAnew();
      await this.#flush?.(this.#log);
    } catch (cause) {
      this.#isLogBroken = true;
      throw new SqliteError("the log cannot be written to the disk", "SQLITE_IOERR_FSYNC", { cause });
    }
  }

  /**
   * What a disk has refused once, the system may take for written (https://wiki.postgresql.org/wiki/Fsync_Errors), and after a
   * power cut SQLite would read the log only up to there. So all of it is written to the database first.
   */
  #beginLogAnew(): void {
    this.exec("pragma busy_timeout = 0");
    try {
      const isBusy = this.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0;
      if (isBusy) throw new SqliteError("the log is being read", "SQLITE_BUSY");
      this.#isLogBroken = false;
    } finally {
      this.exec(`pragma busy_timeout = ${this.#timeoutMs}`);
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    // After the flush that runs.
    this.#log?.close().catch(() => {});
    this.#log = undefined;
  }

  #transact<Result>(mode: Mode, work: () => Result): Result {
    const isNested = this.inTransaction;
    this.#control(isNested ? "savepoint nested" : `begin ${mode}`);
    return this.#finish(work, isNested);
  }

  /** Does the work in the transaction that has begun. */
  #finish<Result>(work: () => Result, isNested = false): Result {
    try {
      const result = work();
      this.#control(isNested ? "release nested" : "commit");
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (this.inTransaction) {
        this.#control(isNested ? "rollback to nested" : "rollback");
        if (isNested) this.#control("release nested");
      }
      throw error;
    }
  }

  readonly #controls = new Map<string, Statement>();

  #control(source: string): void {
    let statement = this.#controls.get(source);
    if (statement === undefined) {
      statement = this.prepare(source);
      this.#controls.set(source, statement);
    }
    if (statement.reader) statement.get();
    else statement.run();
  }
}
