// Opens the OpenAPI document in the importers of Postman and Bruno and sends every request of both collections to a mock.
// Usage: node send-collections.mjs FOLDER DOCUMENT BASE_URL, where FOLDER has the importers installed.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, documentFile, baseUrl] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const readDocument = async () => JSON.parse(await readFile(documentFile, "utf8"));

async function importToPostman() {
  const { convertV2 } = require("openapi-to-postmanv2");
  const input = { type: "json", data: await readDocument() };
  const options = {
    folderStrategy: "Tags",
    parametersResolution: "Example",
    requestParametersResolution: "Example",
  };
  const { output, result, reason } = await new Promise((resolve, reject) =>
    convertV2(input, options, (error, converted) => (error ? reject(error) : resolve(converted))),
  );
  if (!result) throw new Error(`Postman cannot import the document: ${reason}`);
  const flat = (items) => items.flatMap((item) => (item.item ? flat(item.item) : [item]));
  return flat(output[0].data.item).map(({ name, request: { method, url, body } }) => ({
    name,
    method,
    path: `/${url.path.map((step) => stepOf(step, url.variable)).join("/")}`,
    query: url.query.map(({ key, value }) => [key, value]),
    body: body?.raw,
  }));
}

function stepOf(step, variables) {
  const variable = step.startsWith(":") && variables.find(({ key }) => key === step.slice(1));
  return variable ? encodeURIComponent(variable.value) : step;
}

async function importToBruno() {
  const { openApiToBruno } = require("@usebruno/converters");
  const flat = (items) => items.flatMap((item) => (item.items ? flat(item.items) : [item]));
  return flat(openApiToBruno(await readDocument()).items).map(({ name, request }) => {
    const { method, url, params, body } = request;
    const inPath = params.filter(({ type }) => type === "path");
    const address = url.replace(/^\{\{baseUrl\}\}/, "").split("?")[0];
    return {
      name,
      method,
      path: inPath.reduce(
        (path, { name: key, value }) => path.replace(`:${key}`, encodeURIComponent(value)),
        address,
      ),
      query: params
        .filter(({ type, enabled }) => type === "query" && enabled)
        .map(({ name: key, value }) => [key, value]),
      body: body.json ?? undefined,
    };
  });
}

async function send({ method, path, query, body }) {
  const given = new URLSearchParams(query.filter(([, value]) => value !== "" && value !== undefined));
  const response = await fetch(`${baseUrl}${path}?${given}`, {
    method,
    headers: { authorization: "Bearer any", ...(body && { "content-type": "application/json" }) },
    body,
  });
  return response.ok ? undefined : `${response.status} ${await response.text()}`;
}

for (const [name, importDocument] of Object.entries({ Postman: importToPostman, Bruno: importToBruno })) {
  const requests = await importDocument();
  for (const request of requests) {
    const fault = await send(request);
    if (fault)
      throw new Error(`${name}: ${request.name} (${request.method} ${request.path}) fails: ${fault}`);
  }
  console.log(`${requests.length} requests of ${name}`);
}
