/** The space on the disk of `DATA_DIR`, in bytes. */
export interface DiskSpace {
  free: number;
  total: number;
}

export type ReadDiskSpace = () => Promise<DiskSpace>;

/** SQLite and the system report a full disk in several ways; the error may come from another thread. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(?:SQLITE_FULL|SQLITE_IOERR_(?:SHM|WRITE|TRUNCATE|FSYNC)\w*|ENOSPC|EDQUOT|53100)$/.test(code))
    return true;
  return error.cause !== undefined && isDiskFull(error.cause);
}
