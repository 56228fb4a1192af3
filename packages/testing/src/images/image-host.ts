import { startReceiver } from "../receiver.ts";

interface Served {
  status?: number;
  body?: Buffer;
  etag?: string;
}

/** A shop's image server on loopback. Its images may change at any time. */
export async function startImageHost() {
  const images = new Map<string, Served>();
  const host = await startReceiver((response, { path, headers }) => {
    const { status = 200, body = Buffer.alloc(0), etag } = images.get(path) ?? { status: 404 };
    const known = etag !== undefined && headers["if-none-match"] === etag;
    response.writeHead(known ? 304 : status, { ...(etag !== undefined && { etag }) });
    response.end(known ? undefined : body);
  });
  return {
    /** Puts an image at the path and returns its URL. */
    put(path: string, served: Served): string {
      images.set(path, served);
      return host.url + path;
    },
    asked: (path: string) => host.received.filter((one) => one.path === path),
    close: host.close,
  };
}

export type ImageHost = Awaited<ReturnType<typeof startImageHost>>;
