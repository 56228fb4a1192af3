/** Dredd's request. A status trigger changes it so that the wanted status is the correct response. */
export interface OutgoingRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export function setHeader(request: OutgoingRequest, name: string, value: string): void {
  for (const known of Object.keys(request.headers)) {
    if (known.toLowerCase() === name) delete request.headers[known];
  }
  request.headers[name] = value;
}

export function setBody(request: OutgoingRequest, body: unknown): void {
  request.body = JSON.stringify(body);
  setHeader(request, "content-type", "application/json");
}

export function addQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path += `${request.path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

/** Replaces the value of a query parameter that the request has. */
export function setQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path = request.path.replace(new RegExp(`([?&]${name}=)[^&]*`), `$1${encodeURIComponent(value)}`);
}

/** For an example that only the service itself can create, such as a cursor. */
export function dropQuery(request: OutgoingRequest, name: string): void {
  request.path = request.path.replace(new RegExp(`([?&])${name}=[^&]*&?`), "$1").replace(/[?&]$/, "");
}

/** Replaces the values of path parameters. The template, such as `/webhooks/{webhook_id}`, is the end of the path. */
export function setPathParameters(
  request: OutgoingRequest,
  template: string,
  values: Readonly<Record<string, string>>,
): void {
  const [path = "", ...query] = request.path.split("?");
  const steps = path.split("/");
  const wanted = template.split("/").slice(1);
  const known = wanted.map((step, at) => {
    const value = values[step.slice(1, -1)];
    const sent = steps[steps.length - wanted.length + at] ?? "";
    return step.startsWith("{") && value !== undefined ? encodeURIComponent(value) : sent;
  });
  request.path = [[...steps.slice(0, -wanted.length), ...known].join("/"), ...query].join("?");
}
