/** Existing objects of an account, for operations that random sequences of calls rarely reach. */
export interface ExistingThings {
  webhookId: string;
  deliveryId: string;
  imageId: string;
  ruleId: string;
}

export async function createThings(baseUrl: string, token: string): Promise<ExistingThings> {
  const target = { webhookUrl: "https://receiver.invalid/hook", webhookType: "price.alert" };
  const { data: webhook } = await post(`${baseUrl}/webhooks`, token, target);
  const { data: delivery } = await post(`${baseUrl}/webhooks/${webhook?.id}/test`, token);
  const base64String = await readProductImage(baseUrl);
  const { slug } = await post(`${baseUrl}/vectorize-image`, token, { base64String });
  const { rule } = await post(`${baseUrl}/rules`, token, {
    name: "Kept",
    when: { query: "kept" },
    hide: ["none"],
  });
  if (!webhook || !delivery || slug === undefined || !rule) throw new Error("A response has no identifier.");
  return { webhookId: webhook.id, deliveryId: delivery.id, imageId: slug, ruleId: rule.id };
}

async function post(url: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(url, {
    method: "POST",
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
  const created: { data?: { id: string }; slug?: string; rule?: { id: string } } = JSON.parse(text);
  return created;
}

/** An image of the sample catalog, so that a search finds its products; generated requests may have changed the others. */
async function readProductImage(baseUrl: string): Promise<string> {
  const image = await fetch(new URL("/images/sample/0-1.jpg", baseUrl));
  return Buffer.from(await image.arrayBuffer()).toString("base64");
}
