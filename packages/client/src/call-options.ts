export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Maximum time of the call, including retries and pauses. Default: 30 000. */
  timeoutMs?: number;
  /** How often a failed call is retried, if that is safe. Default: 2. */
  retries?: number;
  /** Headers of the call's requests, in addition to those of the client and instead of those with the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Called before each request, including retries, and awaited. Return another `Request` to send that one. */
  onRequest?: (request: Request) => unknown;
  /** Called with each raw response, including those before a retry. Read only its headers: the client reads the body. */
  onResponse?: (response: Response, request: Request) => void;
  /** Called with the error of each failed request, including those before a retry. */
  onError?: (error: unknown, request: Request) => void;
}

export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** URL of the service, including the version, such as `https://search.example/api/v1`. In a browser also `/api/v1`. */
  baseUrl: string;
  /** The access token. Only the trial search works without one. */
  token?: string;
  /** Used instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The validated options of a call, with those of the client as defaults. */
export function settled(client: ClientOptions, call: CallOptions) {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000;
  const retries = call.retries ?? client.retries ?? 2;
  // Timers have 31 bits: a longer one would fire at once.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new RangeError(`timeoutMs: ${timeoutMs} is not between 0 and 2147483647 milliseconds.`);
  }
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= 10)) {
    throw new RangeError(`retries: ${retries} is not a whole number from 0 to 10.`);
  }
  return {
    timeoutMs,
    retries,
    signal: call.signal,
    headers: { ...client.headers, ...call.headers },
    onRequest: call.onRequest ?? client.onRequest,
    onResponse: call.onResponse ?? client.onResponse,
    onError: call.onError ?? client.onError,
  };
}

/** Checks the base URL early: otherwise a wrong one would look like a network error. */
export function checkBaseUrl(baseUrl: string): void {
  const page = typeof location === "undefined" ? undefined : location.href;
  try {
    if (/^https?:$/.test(new URL(baseUrl, page).protocol)) return;
  } catch {
    // reported below
  }
  throw new TypeError(
    `baseUrl: "${baseUrl}" is not an http(s) URL. Write it with its version: https://search.example/api/v1`,
  );
}

/** An image: the bytes of its file, a `Blob` or `File`, or base64 (standard, URL-safe, or a `data:` URL). */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | string;

/** An image that was uploaded, by the `slug` of its upload or of an object in an image. */
export interface ImageQuery {
  imageId: string;
  /** Categories to leave out, usually some of `categories` in an earlier response. */
  withoutCategories?: readonly string[];
}

/** The image in base64, for the request body. */
export async function toBase64(image: ImageInput): Promise<string> {
  if (typeof image === "string") return image;
  const bytes =
    image instanceof Uint8Array
      ? image
      : new Uint8Array(image instanceof ArrayBuffer ? image : await image.arrayBuffer());
  // In chunks, because the number of arguments of a function is limited.
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)));
  }
  return btoa(pieces.join(""));
}

const responses = new WeakMap<object, Response>();

/** Keeps the response to which a body belongs, as long as the body is used. */
export function keepResponse(body: object, response: Response): void {
  responses.set(body, response);
}

/**
 * The body of a call with its response, for status and headers: `await withResponse(client.searchCatalog({ q }))`. The
 * body of the response has been read.
 */
export async function withResponse<Data extends object>(
  call: Promise<Data>,
): Promise<{ data: Data; response: Response }> {
  const data = await call;
  const response = responses.get(data);
  if (response !== undefined) return { data, response };
  throw new TypeError(
    "withResponse: this is not the result of a single request. Use onResponse for calls that make several.",
  );
}
