/** Work of a thread for a request of another one, which pays for its processor time. */
export async function priced<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; processorMs: number }> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return { result, processorMs: (user + system) / 1000 };
}
