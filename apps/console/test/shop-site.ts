import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { promisify } from "node:util";
import { service } from "./in-browser.ts";
import { commandLine } from "./service.ts";

/** A token for pages of this origin. */
export async function createPublicToken(origin: string): Promise<string> {
  const args = ["token", "create", "--account", "shop", "--public", "--origins", origin, "--json"];
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: service.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args], { env });
  const { token }: { token: string } = JSON.parse(stdout);
  return token;
}

/** A site of the shop, at an origin of its own. */
export async function listen(
  respond: (path: string) => Promise<string> | string,
): Promise<{ origin: string; server: Server }> {
  const server = createServer(async ({ url = "/" }, response) => {
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.setHeader("content-type", `${type}; charset=utf-8`).end(await respond(url));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
}
