import { getHeapStatistics } from "node:v8";

/** The memory of the calling thread, in the form that threads exchange. Each thread has a heap of its own. */
export function memoryMetrics(thread: string): object[] {
  const heap = getHeapStatistics();
  const { arrayBuffers } = process.memoryUsage();
  const bytes = {
    heap: heap.total_heap_size,
    heap_used: heap.used_heap_size,
    array_buffers: arrayBuffers,
    external: heap.external_memory,
    malloced: heap.malloced_memory,
  };
  return [
    {
      name: "product_search_thread_memory_bytes",
      help: "Memory of each thread by kind: its JavaScript heap, what is used of it, and what is outside of it.",
      type: "gauge",
      aggregator: "sum",
      values: Object.entries(bytes).map(([kind, value]) => ({ value, labels: { thread, kind } })),
    },
    {
      name: "product_search_thread_allocated_bytes_total",
      help: "What each thread has allocated in its JavaScript heap since it started, also what was freed.",
      type: "counter",
      aggregator: "sum",
      values: [{ value: heap.total_allocated_bytes, labels: { thread } }],
    },
  ];
}
