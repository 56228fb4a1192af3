/** The `data` of each server-sent event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const nextLines = createLineSplitter();
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // what no empty line has ended is no event
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
    // The consumer may leave early; the connection should not outlive its interest.
    await reader.cancel().catch(() => {});
  }
}

/** Gives the lines that each piece completes. Lines end in CR LF, LF or CR, and a piece may end between CR and LF. */
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
