// A registry with npm's rules of 2026 for the rehearsal of a release, in front of one that has none: a workflow may stage
// versions of packages that exist, and nothing else; a person publishes, approves and rejects with a one-time password.
import { randomUUID } from "node:crypto";
import { createServer, request as forward } from "node:http";

/** The credentials of the two, and the password of the person's second factor. */
export const workflowToken = "token-of-the-workflow";
export const personToken = "token-of-a-person";
export const oneTimePassword = "123456";

const toItem = ([id, { name, version }]) => ({ id, packageName: name, version });

const bearer = (token) => `Bearer ${token}`;

/** `token` is that of the registry behind. */
export function createStagingRegistry({ url, token }) {
  const staged = new Map();

  function pass(request, response, body) {
    const { authorization, ...headers } = request.headers;
    const known = [workflowToken, personToken].map(bearer).includes(authorization);
    if (known) headers.authorization = bearer(token);
    if (body !== undefined) headers["content-length"] = String(body.length);
    delete headers["transfer-encoding"];
    const onward = forward(new URL(request.url, url), { method: request.method, headers }, (reply) => {
      response.writeHead(reply.statusCode, reply.headers);
      reply.pipe(response);
    });
    onward.on("error", () => response.destroy());
    onward.end(body);
  }

  async function versionsOf(name) {
    const reply = await fetch(new URL(name.replace("/", "%2f"), url));
    return reply.ok ? Object.keys((await reply.json()).versions) : undefined;
  }

  /** What npm responds to each kind of request; undefined for what the registry behind does. */
  async function respond({ method, url: path, headers }, body) {
    const isPerson = headers.authorization === bearer(personToken);
    const hasPassword = isPerson && headers["npm-otp"] === oneTimePassword;
    const [, route, ...rest] = /^\/-\/(stage)(?:\/([^/?]+))?(?:\/([^/?]+))?/.exec(path) ?? [];
    if (route === undefined) {
      if (method !== "PUT") return undefined;
      if (!isPerson) return [403, "This trusted publisher may stage versions, and not publish them."];
      return hasPassword ? undefined : [401];
    }
    const [first, second] = rest;
    if (first === undefined) {
      const items = [...staged].map(toItem);
      return [200, { items, total: items.length, page: 0, perPage: 100 }];
    }
    if (first === "package") {
      const { name, versions } = JSON.parse(body);
      const [version] = Object.keys(versions);
      const published = await versionsOf(name);
      if (published === undefined) return [404, "Not Found"];
      if (published.includes(version))
        return [403, `You cannot publish over the previously published version "${version}".`];
      if ([...staged.values()].some((one) => one.name === name && one.version === version))
        return [409, `Cannot publish over previously staged version "${version}".`];
      const stageId = randomUUID();
      staged.set(stageId, { name, version, body });
      return [201, { stageId }];
    }
    if (!staged.has(first)) return [404, "Not Found"];
    if (second === undefined) {
      if (method === "GET") return [200, toItem([first, staged.get(first)])];
      if (!hasPassword) return [401];
      staged.delete(first);
      return [200, {}];
    }
    if (second === "tarball") {
      const [{ data }] = Object.values(JSON.parse(staged.get(first).body)._attachments);
      return [200, Buffer.from(data, "base64")];
    }
    if (!hasPassword) return [401];
    const { name, body: upload } = staged.get(first);
    const reply = await fetch(new URL(name.replace("/", "%2f"), url), {
      method: "PUT",
      headers: { authorization: bearer(token), "content-type": "application/json" },
      body: upload,
    });
    if (!reply.ok) return [reply.status, await reply.text()];
    staged.delete(first);
    return [200, {}];
  }

  return createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const body = Buffer.concat(chunks);
      const result = await respond(request, body.toString()).catch((error) => [500, error.message]);
      if (result === undefined) return pass(request, response, body.length > 0 ? body : undefined);
      const [status, content = "A one-time password is needed."] = result;
      const isArchive = Buffer.isBuffer(content);
      const headers = { "content-type": isArchive ? "application/octet-stream" : "application/json" };
      if (status === 401) headers["www-authenticate"] = "OTP";
      response.writeHead(status, headers);
      if (isArchive) return response.end(content);
      response.end(JSON.stringify(typeof content === "string" ? { error: content } : content));
    });
  });
}
