/** The `data` of each server-sent event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const nextLines = createLineSplitter();
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // an event that is not followed by an empty line is incomplete
      for (const line of nextLines(value)) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.slice(line[5] === " " ? 6 : 5));
        }
      }
    }
  } finally {
    // If the consumer stops early, close the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Returns the lines that each chunk completes. Lines end with CR LF, LF or CR; a chunk may end between CR and LF. */
function createLineSplitter(): (bytes: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let pending = "";
  let afterReturn = false;
  return (bytes) => {
    let text = decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const lines = (pending + text).split(/\r\n|\n|\r/);
    pending = lines.pop() ?? "";
    return lines;
  };
}
